package dev.runlane.connector.run.record;

import dev.runlane.connector.process.line.StderrTail;
import dev.runlane.connector.protocol.gap.KnownGaps;
import dev.runlane.connector.protocol.message.DoneMessage;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a run when it ends.
 *
 * @param progress what it kept
 * @param done what the connector said last, or null
 * @param exitCode the child's, or null when none was started
 * @param stderr what the child wrote on its standard error, or null
 * @param lastValid the last event before a violation, or null
 * @param unanswered whether a question had no answer
 */
public record RunFacts(
    RunProgress progress,
    @Nullable DoneMessage done,
    @Nullable Integer exitCode,
    @Nullable StderrTail stderr,
    @Nullable LastValid lastValid,
    boolean unanswered) {

  /** The last event before a violation. */
  public record LastValid(String eventId, String eventType) {}

  /** The same without anything that a connector said. */
  public RunFacts bare() {
    RunProgress bare = new RunProgress(
        progress.timelineWriter(), progress.batches(), progress.cursors(), new KnownGaps());
    return new RunFacts(bare, null, exitCode, null, null, unanswered);
  }

  public RecordBatches batches() {
    return progress.batches();
  }

  public StagedCursors cursors() {
    return progress.cursors();
  }

  public KnownGaps gaps() {
    return progress.gaps();
  }

  /** The number of records that DONE gave, where it is another than the one that came; else null. */
  @Nullable
  public Long differingReport() {
    return done == null || done.recordsEmitted() == batches().counts().emitted
        ? null
        : done.recordsEmitted();
  }
}
