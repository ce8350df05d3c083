package dev.runlane.testing;

import org.assertj.core.api.Assertions;

/** All of AssertJ's assertions and those on runs: one static import for both. */
public class RunlaneAssertions extends Assertions {
  /** For those who add assertions of their own, as AssertJ's class allows. */
  protected RunlaneAssertions() {}

  /** Assertions on a run as it is now. */
  public static RunAssert assertThat(TestRun run) {
    return new RunAssert(run);
  }
}
