package dev.runlane.connector.run.record;

import dev.runlane.connector.protocol.gap.KnownGaps;
import dev.runlane.connector.run.story.RunStory;

/**
 * What one run keeps while it goes on.
 *
 * @param story what it tells the timeline
 * @param batches its records
 * @param cursors what it staged
 * @param gaps what it knows to be missing
 */
public record RunBooks(
    RunStory story, RecordBatches batches, StagedCursors cursors, KnownGaps gaps) {}
