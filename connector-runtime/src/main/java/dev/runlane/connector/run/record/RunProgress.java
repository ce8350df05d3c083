package dev.runlane.connector.run.record;

import dev.runlane.connector.protocol.gap.KnownGaps;
import dev.runlane.connector.run.state.TimelineWriter;

/**
 * The state of one run that is under way.
 *
 * @param timelineWriter writes its timeline
 * @param batches its records
 * @param cursors what it staged
 * @param gaps what it knows to be missing
 */
public record RunProgress(
    TimelineWriter timelineWriter, RecordBatches batches, StagedCursors cursors, KnownGaps gaps) {}
