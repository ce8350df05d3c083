package dev.runlane.runtime.operate;

/** A listener that is notified of ends until it is closed. */
public interface RunSubscription {
  /** Notifies it of nothing more, soon; from any thread, and as often as one likes. */
  void close();
}
