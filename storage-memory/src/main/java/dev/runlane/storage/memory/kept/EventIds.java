package dev.runlane.storage.memory.kept;

/** The one sequence that event ids of a storage come from. Used under the storage's lock only. */
public final class EventIds {
  private long last;

  /** A number greater than all before, in decimal digits. */
  String next() {
    last++;
    return Long.toString(last);
  }
}
