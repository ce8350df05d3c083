package dev.runlane.connectorkit.message;

/** How much of a stream a run is to collect. */
public enum CollectionMode {
  /** All of it, whatever the state says. */
  FULL_REFRESH("full_refresh"),
  /** What is new since the state. */
  INCREMENTAL("incremental");

  private final String wireName;

  CollectionMode(String wireName) {
    this.wireName = wireName;
  }

  public static CollectionMode of(String wireName) {
    for (CollectionMode mode : values()) {
      if (mode.wireName.equals(wireName)) {
        return mode;
      }
    }
    throw InvalidStart.because("collection_mode is neither full_refresh nor incremental");
  }
}
