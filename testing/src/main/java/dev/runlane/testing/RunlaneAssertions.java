package dev.runlane.testing;

import dev.runlane.jobs.queue.job.Job;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.task.Task;
import dev.runlane.testing.history.RunHistory;
import java.util.function.Consumer;
import org.assertj.core.api.Assertions;

/** All of AssertJ's assertions and those on runs and jobs: one static import for all. */
public class RunlaneAssertions extends Assertions {
  /** For those who add assertions of their own, as AssertJ's class allows. */
  protected RunlaneAssertions() {}

  /** Assertions on a run as it is now. */
  public static RunAssert assertThat(TestRun run) {
    return new RunAssert(run);
  }

  /** Assertions on a job as it is now. */
  public static JobAssert assertThat(Job job) {
    return new JobAssert(job);
  }

  /**
   * A run with this history goes on with this task: one more attempt is made of it, as a deployment of the task would,
   * from the state before the end of its last attempt. Steps and sleeps are answered from the history; what comes after
   * its end is not begun, runs of other tasks are not made, but what the handler does outside of steps is done. Fails
   * with an {@link AssertionError}, which shows the history, where the handler asks for other steps than are recorded,
   * for fewer, cannot read the payload or a result, or fails as the recorded attempt did not: with another code, or
   * before it has asked for all that is recorded.
   */
  public static void assertReplays(RunHistory history, Task<?> task) {
    assertReplays(history, task, builder -> {});
  }

  /**
   * The same with what else the deployment is built with, as for {@link RunlaneTesting#settings}: the object mapper
   * that wrote the history's payloads and results reads them.
   */
  public static void assertReplays(
      RunHistory history, Task<?> task, Consumer<RunlaneBuilder> settings) {
    Replay.check(history, task, settings);
  }
}
