package dev.runlane.connector.store;

import dev.runlane.connector.store.grant.Grants;
import dev.runlane.connector.store.history.RunHistory;
import dev.runlane.connector.store.manifest.ActiveManifests;
import dev.runlane.connector.store.record.ConnectorStates;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.timeline.RunTimeline;

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
