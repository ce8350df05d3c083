package dev.runlane.connector.store;

/** One place where runs are kept, seen from all its sides. What one side stores, the others see. */
public interface ConnectorStore {
  /** Where records and cursors go. */
  RecordSink sink();

  /** The story of every run. */
  RunTimeline timeline();

  /** The runs that have not ended. */
  ActiveRuns activeRuns();

  /** How runs end. */
  RunEnds runEnds();

  /** The runs that have ended. */
  RunHistory history();

  /** What owners allow. */
  Grants grants();

  /** The cursors in the owner's hands. */
  ConnectorStates states();

  /** The manifests in use. */
  ActiveManifests manifests();
}
