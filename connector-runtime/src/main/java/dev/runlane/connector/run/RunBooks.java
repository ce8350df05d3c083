package dev.runlane.connector.run;

import dev.runlane.connector.protocol.KnownGaps;

/**
 * What one run keeps while it goes on.
 *
 * @param story what it tells the timeline
 * @param batches its records
 * @param cursors what it staged
 * @param gaps what it knows to be missing
 */
record RunBooks(RunStory story, RecordBatches batches, StagedCursors cursors, KnownGaps gaps) {}
