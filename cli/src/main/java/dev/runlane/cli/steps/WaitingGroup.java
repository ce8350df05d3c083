package dev.runlane.cli.steps;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one group that wait.
 *
 * @param group which workers are asked
 * @param waiting how many have no result
 * @param dispatched for how many of them workers were asked
 * @param mostAttempts the highest attempt of any
 * @param oldest when the one that waits longest was asked for; null: nobody knows
 * @param deadline when the first of them fails without a result
 */
record WaitingGroup(
    String group,
    long waiting,
    long dispatched,
    int mostAttempts,
    @Nullable Instant oldest,
    Instant deadline) {}
