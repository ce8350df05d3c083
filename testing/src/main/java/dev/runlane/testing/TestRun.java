package dev.runlane.testing;

import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.testing.history.RunHistory;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run of a test, as it is whenever it is asked for something. Two are equal that stand for the same run.
 *
 * @param testing where it is
 * @param id the run's
 */
public record TestRun(RunlaneTesting testing, String id) {
  /** The run as it is now. Throws {@code RunNotFound} where it does not exist, or no more. */
  public RunRecord record() {
    return history().run();
  }

  /** Where it is in its life. */
  public RunStatus status() {
    return record().status();
  }

  /** Its history so far. */
  public RunHistory history() {
    return testing.history(this);
  }

  /** For people: its history, a line for each event, and what its handler failed with. */
  public String timeline() {
    return history().timeline() + testing.handlerFailures(this);
  }

  /** Its attempts so far, as its history tells them. */
  public List<RunAttempt> attempts() {
    return testing.result(testing.runlane().runs().attempts(id));
  }

  /** Its output as this type; null where it has none. */
  public <T> @Nullable T output(Class<T> type) {
    Json output = record().output();
    return output == null ? null : testing.codec().decode("the output of run " + id, output, type);
  }

  /** Why it is where it is, in words. */
  public String explain() {
    return testing.result(testing.runlane().runs().explain(id)).text();
  }

  /** Asks for its cancellation; its handler hears of it in {@code runDue()}. Throws what that fails with. */
  public void cancel(String reason) {
    testing.result(
        testing.runlane().runs().cancel(id, RunActionOptions.by("test").setReason(reason)));
  }

  /** Makes another run of it, once it has failed. Throws what that fails with. */
  public TestRun retry() {
    return made(testing.runlane().runs().retry(id, RunActionOptions.by("test")));
  }

  /** Makes another run of it, once it has ended. Throws what that fails with. */
  public TestRun rerun() {
    return made(testing.runlane().runs().rerun(id, RunActionOptions.by("test")));
  }

  private TestRun made(Future<TriggerResult> action) {
    return testing.run(testing.result(action).run().id());
  }

  @Override
  public String toString() {
    return "run " + id;
  }
}
