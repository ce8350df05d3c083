package dev.runlane.testing;

import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepListener;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * One worker of remote steps on a transport, in virtual time: it claims what is dispatched to the groups of its
 * functions, and records what they answer.
 */
final class StepWorker implements StepListener {
  /** How long a task whose worker is dead is left to it. */
  static final Duration LEASE = Duration.ofSeconds(30);

  private static final int MOST = 100;

  private final StepTransport transport;
  private final Clock clock;
  private final Timers timers;
  private final UnaryOperator<StepFunction> faults;
  private final Supplier<JsonCodec> codec;
  private final Map<String, StepFunction> functions = new HashMap<>(); // by name
  private final Map<String, Set<String>> names = new HashMap<>(); // by group
  private final Map<StepClaim, Timers.Timer> renewals = new HashMap<>(); // of tasks under way
  private boolean looking;

  /**
   * @param faults what each function is called through
   * @param codec of the deployment whose steps are worked on
   */
  StepWorker(
      StepTransport transport,
      Clock clock,
      Timers timers,
      UnaryOperator<StepFunction> faults,
      Supplier<JsonCodec> codec) {
    this.transport = transport;
    this.clock = clock;
    this.timers = timers;
    this.faults = faults;
    this.codec = codec;
  }

  /** Begins to serve a step; the latest function for a name counts. */
  void serve(String name, String group, StepFunction function) {
    functions.put(name, function);
    names.computeIfAbsent(group, any -> new TreeSet<>()).add(name);
    lookSoon();
  }

  @Override
  public void onTasks(Set<String> groups) {
    lookSoon();
  }

  @Override
  public void onResults() {}

  @Override
  public void onPossibleLoss() {
    lookSoon();
  }

  private void lookSoon() {
    if (!looking && !names.isEmpty()) {
      looking = true;
      timers.schedule(Duration.ZERO, this::look);
    }
  }

  private void look() {
    looking = false;
    transport
        .claimStepTasks(new ClaimStepTasks(
            List.copyOf(names.keySet()), "fake worker", clock.now(), LEASE, MOST))
        .onSuccess(tasks -> {
          tasks.forEach(this::begin);
          if (tasks.size() == MOST) {
            lookSoon();
          }
        });
  }

  private void begin(ClaimedStepTask claimed) {
    Instant begun = clock.now();
    StepClaim claim = claimed.claim();
    renewLater(claim);
    work(claimed.task()).onComplete(done -> {
      Timers.Timer renewal = renewals.remove(claim);
      if (renewal != null) {
        renewal.cancel();
      }
      transport.recordStepResults(new RecordStepResults(
          List.of(new RecordStepResults.Ended(claim, done.result(), begun)), clock.now()));
    });
  }

  /** As workers do, for as long as the task is theirs and under way. */
  private void renewLater(StepClaim claim) {
    renewals.put(claim, timers.schedule(LEASE.dividedBy(3), () -> transport
        .renewStepTasks(new RenewStepTasks(List.of(claim), clock.now()))
        .onSuccess(kept -> {
          if (kept.isEmpty()) {
            renewals.remove(claim);
          } else if (renewals.containsKey(claim)) {
            renewLater(claim);
          }
        })));
  }

  /** What is under way is not renewed any more, and begun again once its lease has passed. */
  void abandon() {
    renewals.values().forEach(Timers.Timer::cancel);
    renewals.clear();
    timers.schedule(LEASE, this::lookSoon);
  }

  private Future<StepOutcome> work(StepTask task) {
    StepFunction function = functions.get(task.name());
    if (function == null) {
      return Future.succeededFuture(new StepOutcome.Failed(
          StepError.fatal(null, "no function is registered for step " + task.name())));
    }
    StepRequest request =
        new StepRequest(task.stepId(), task.name(), task.attempt(), task.input(), codec.get());
    return Future.<Void>succeededFuture() // inside compose a throw and null are failures
        .compose(start -> faults
            .apply(function)
            .work(request)
            .<StepOutcome>map(result -> new StepOutcome.Completed(
                result == null
                    ? null
                    : codec
                        .get()
                        .encode("the result of step " + task.name(), result, JsonLimits.PAYLOAD))))
        .otherwise(failure -> new StepOutcome.Failed(error(failure)));
  }

  private static StepError error(Throwable failure) {
    String message = message(failure);
    return failure instanceof RunlaneException known && !known.isRetryable()
        ? StepError.fatal(known.code().value(), message)
        : StepError.of(null, message);
  }

  private static String message(Throwable failure) {
    try {
      return String.valueOf(failure.getMessage());
    } catch (Throwable ofMessage) { // the step is answered whatever its failure is like
      return failure.getClass().getName();
    }
  }
}
