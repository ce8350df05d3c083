package dev.runlane.conformance.given;

import dev.runlane.run.Environment;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendRunEvents;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A run in some state, as it is brought there: by real commands, projected by the reducer, on the
 * adapter under test. Made by {@link TestRuns}; immutable.
 */
public final class TestRun {
  private final NewRun creation;
  private final List<Step> steps;

  private TestRun(NewRun creation, List<Step> steps) {
    this.creation = creation;
    this.steps = List.copyOf(steps);
  }

  static TestRun created(NewRun creation) {
    return new TestRun(creation, List.of());
  }

  /** The same run in another environment. */
  public TestRun environment(Environment environment) {
    return with(creation.withEnvironment(environment));
  }

  /** The same run of another task. */
  public TestRun task(String taskId) {
    return with(creation.withTask(taskId));
  }

  /** The same run in another queue; in a bounded one it has no delivery request. */
  public TestRun queue(QueuePolicy queue) {
    return with(creation.withQueue(queue));
  }

  /** The same run with another payload. */
  public TestRun payload(Json payload) {
    return with(creation.withPayload(payload));
  }

  /** The same run in another partition of its bounded queue. */
  public TestRun concurrencyKey(String key) {
    return with(creation.withKeys(creation.keys().withConcurrencyKey(key)));
  }

  /** The same run with an idempotency key. */
  public TestRun idempotencyKey(String key, IdempotencyTtl ttl) {
    return with(creation.withKeys(creation.keys().withIdempotencyKey(key, ttl)));
  }

  /** The same run with a singleton key. */
  public TestRun singletonKey(String key) {
    return with(creation.withKeys(creation.keys().withSingletonKey(key)));
  }

  /** The same run with tags. */
  public TestRun tags(Map<String, String> tags) {
    return with(creation.withTags(tags));
  }

  /** The same run, created and brought to its state at another instant. */
  public TestRun at(Instant instant) {
    return with(creation.withAt(instant));
  }

  /** The same run, not to be run before an instant. */
  public TestRun runAt(Instant instant) {
    return with(creation.withRunAt(instant));
  }

  /** The command that creates the run, as if it had no further history. */
  public AppendRunEvents creation() {
    return creation.command();
  }

  /** The command that creates the run with its first lease. */
  public AppendRunEvents creationWithLease(Lease lease) {
    return creation.commandWithLease(lease);
  }

  /** Creates the run and brings it to its state; answers what the adapter answered last. */
  public Future<RunRecord> storeIn(StorageAdapter storage) {
    Future<RunRecord> run =
        storage.appendRunEvents(creation.command()).map(appended -> appended.run());
    for (Step step : steps) {
      run = run.compose(current -> step.take(storage, creation, current));
    }
    return run;
  }

  TestRun then(Step step) {
    List<Step> longer = new ArrayList<>(steps);
    longer.add(step);
    return new TestRun(creation, longer);
  }

  private TestRun with(NewRun other) {
    return new TestRun(other, steps);
  }

  /** One command that follows the creation. */
  interface Step {
    Future<RunRecord> take(StorageAdapter storage, NewRun creation, RunRecord run);
  }
}
