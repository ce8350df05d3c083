package dev.runlane.storage.read;

/** The order of a list. The string values never change. */
public enum SortDirection {
  /** Smallest first. */
  ASC("asc"),
  /** Greatest first. */
  DESC("desc");

  private final String value;

  SortDirection(String value) {
    this.value = value;
  }

  /** The string in cursors and requests. */
  public String value() {
    return value;
  }
}
