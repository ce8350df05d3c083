package dev.runlane.conformance.drawn;

import java.util.List;

/**
 * A wrong answer.
 *
 * @param seed the seed
 * @param alone whether one adapter got all of them
 * @param steps the commands up to the one that was answered wrongly
 * @param difference what is wrong with its answer
 */
record Failure(long seed, boolean alone, List<Step> steps, String difference) {
  Failure {
    steps = List.copyOf(steps);
  }
}
