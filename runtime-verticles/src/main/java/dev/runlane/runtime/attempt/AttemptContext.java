package dev.runlane.runtime.attempt;

import dev.runlane.operator.log.LogLevel;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.create.Triggers;
import dev.runlane.runtime.process.BlockedThreads;
import dev.runlane.runtime.report.HandlerLog;
import dev.runlane.runtime.steps.StepCall;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Waits;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a handler sees of its attempt. The signal comes from the home context and is fired on the handler's. */
final class AttemptContext implements BlockingTaskContext {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptContext.class);

  private final RunRecord run;
  private final Triggers triggers;
  private final Executor executor;
  private final @Nullable BlockedThreads threads; // of a blocking handler
  private final HandlerLog.Lines lines;
  private final Consumer<StepCall<?>> steps;
  private final Promise<SignalReason> signal = Promise.promise();
  private final Promise<Void> suspended = Promise.promise();
  private final Promise<Void> unwanted = Promise.promise();
  private final Waits waits = new Waits();
  private volatile boolean signalled;
  private volatile boolean cancellationRequested;

  /** @param steps takes what the handler asks for, from any thread */
  AttemptContext(
      RunRecord run,
      Triggers triggers,
      Executor executor,
      @Nullable BlockedThreads threads,
      HandlerLog.Lines lines,
      Consumer<StepCall<?>> steps) {
    this.run = run;
    this.lines = lines;
    this.steps = steps;
    this.threads = threads;
    this.triggers = triggers;
    this.executor = executor;
    signal.future().onSuccess(this::giveUpWaits);
  }

  /** Fires the signal; the first reason is the one it completes with. */
  void fire(SignalReason reason) {
    if (reason == SignalReason.CANCELLATION_REQUESTED) {
      cancellationRequested = true;
    }
    signalled = true;
    complete(signal, reason);
    if (reason == SignalReason.CANCELLATION_REQUESTED || reason == SignalReason.LEASE_LOST) {
      discard();
    }
  }

  /** The handler is not resumed: another attempt calls it again. */
  void suspend() {
    complete(suspended, null);
  }

  /** What the handler still does is wanted no more. */
  void discard() {
    complete(unwanted, null);
  }

  private <T> void complete(Promise<T> signals, @Nullable T value) {
    try {
      executor.execute(() -> {
        try {
          signals.tryComplete(value);
        } catch (Throwable ofCallback) {
          callbackFailed(ofCallback);
        }
      });
    } catch (RejectedExecutionException handlerIsGone) {
      LOG.debug("the handler of run {} has no thread to be told on", run.id(), handlerIsGone);
    }
  }

  /** Takes blocked threads of the handler home: the attempt is over. */
  void unwind() {
    if (threads != null) {
      threads.unwind();
    }
  }

  @Override
  public <T> Future<T> step(Step<T> step, Supplier<Future<T>> work) {
    StepCall<T> call = StepCall.step(step, work);
    steps.accept(call);
    return call.answer();
  }

  @Override
  public <T> Future<T> step(String name, Class<T> resultType, Supplier<Future<T>> work) {
    try {
      return step(Step.of(name, resultType), work);
    } catch (RunlaneException malformed) {
      return Future.failedFuture(malformed);
    }
  }

  @Override
  public Future<Void> step(String name, Supplier<Future<Void>> work) {
    return step(name, Void.class, work);
  }

  @Override
  public <T> Future<T> remote(RemoteStep<T> step, @Nullable Object input) {
    StepCall<T> call = StepCall.remote(step, input);
    steps.accept(call);
    return call.answer();
  }

  @Override
  public <T> Future<T> remote(String name, @Nullable Object input, Class<T> resultType) {
    try {
      return remote(RemoteStep.of(name, resultType), input);
    } catch (RunlaneException malformed) {
      return Future.failedFuture(malformed);
    }
  }

  @Override
  public Future<Json> remote(String name, @Nullable Object input) {
    return remote(name, input, Json.class);
  }

  @Override
  public Future<Void> sleep(Duration duration) {
    if (duration.isNegative() || duration.compareTo(TriggerOptions.LONGEST_DELAY) > 0) {
      return Future.failedFuture(RunlaneException.validationFailed(
          "a sleep must be between 0 and %s, but is %s", TriggerOptions.LONGEST_DELAY, duration));
    }
    StepCall<Void> call = StepCall.sleep(duration);
    steps.accept(call);
    return call.answer();
  }

  @Override
  public <T> T await(Future<T> work) {
    return threads().await(threads().waiting(), work);
  }

  @Override
  public <T> T callStep(Step<T> step, Callable<T> work) {
    BlockedThreads.Waiting self = threads().waiting();
    return threads().await(self, step(step, () -> self.run(work)));
  }

  @Override
  public <T> T callRemote(RemoteStep<T> step, @Nullable Object input) {
    return await(remote(step, input));
  }

  private BlockedThreads threads() {
    if (threads == null) {
      throw new IllegalStateException("only a blocking handler may wait");
    }
    return threads;
  }

  @Override
  public void log(LogLevel level, String text, Map<String, String> fields) {
    lines.add(level, text, fields);
  }

  @Override
  public void log(LogLevel level, String text) {
    log(level, text, Map.of());
  }

  @Override
  public Environment environment() {
    return run.environment();
  }

  @Override
  public String runId() {
    return run.id();
  }

  @Override
  public String taskId() {
    return run.taskId();
  }

  @Override
  public String queue() {
    return run.queue();
  }

  @Override
  public int attempt() {
    return run.counters().attempts();
  }

  @Override
  public int failures() {
    return run.counters().failures();
  }

  @Override
  public Map<String, String> traceCarrier() {
    Map<String, String> carrier = run.traceCarrier();
    return carrier == null ? Map.of() : carrier;
  }

  @Override
  public Future<SignalReason> signal() {
    return signal.future();
  }

  @Override
  public Future<Void> suspended() {
    return suspended.future();
  }

  @Override
  public Future<Void> unwanted() {
    return unwanted.future();
  }

  @Override
  public <T> Future<T> untilSignalled(Future<T> work) {
    return waits.until(work);
  }

  /** All that waits until the signal fires. */
  private void giveUpWaits(SignalReason reason) {
    waits.giveUp(
        () -> RunlaneException.of(
            ErrorCode.OPERATION_CANCELLED, "the attempt gave up because of %s", reason),
        this::callbackFailed);
  }

  /** The others are signalled all the same. */
  private void callbackFailed(Throwable thrown) {
    LOG.warn("a callback of the signal of run {} failed", run.id(), FailureLog.readable(thrown));
  }

  @Override
  public boolean isSignalled() {
    return signalled;
  }

  @Override
  public boolean isCancellationRequested() {
    return cancellationRequested;
  }

  @Override
  public TaskResult release(Duration delay) {
    return new TaskResult.Release(delay, null, Map.of());
  }

  @Override
  public TaskResult release(Duration delay, String reason) {
    return new TaskResult.Release(delay, reason, Map.of());
  }

  @Override
  public TaskResult release(Duration delay, String reason, Map<String, String> meta) {
    return new TaskResult.Release(delay, reason, meta);
  }

  @Override
  public <P> Future<TriggerResult> trigger(TaskDescription<P> task, P payload) {
    return trigger(task, payload, new TriggerOptions());
  }

  @Override
  public <P> Future<TriggerResult> trigger(
      TaskDescription<P> task, P payload, TriggerOptions options) {
    TriggerOptions copy = new TriggerOptions(options);
    if (copy.getTraceCarrier().isEmpty() && run.traceCarrier() != null) {
      copy.setTraceCarrier(run.traceCarrier());
    }
    return triggers.trigger(task, payload, copy);
  }
}
