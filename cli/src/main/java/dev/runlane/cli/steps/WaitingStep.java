package dev.runlane.cli.steps;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A remote step without a result.
 *
 * @param id the step
 * @param runId its run
 * @param name as the handler calls it
 * @param group which workers are asked
 * @param attempt which attempt a worker is, or is to be, asked for
 * @param requestedAt when the handler asked for it; null: nobody knows
 * @param dispatchedAt when workers were asked; null: they were not yet
 * @param nextAt when it is looked after next
 * @param deadline when it fails without a result
 * @param isOfEndedRun whether its run has ended, so that it is only to be taken away
 */
record WaitingStep(
    String id,
    String runId,
    String name,
    String group,
    int attempt,
    @Nullable Instant requestedAt,
    @Nullable Instant dispatchedAt,
    Instant nextAt,
    Instant deadline,
    boolean isOfEndedRun) {}
