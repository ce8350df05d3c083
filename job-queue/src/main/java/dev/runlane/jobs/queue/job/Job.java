package dev.runlane.jobs.queue.job;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.process.ChangeEvents;
import dev.runlane.jobs.queue.process.JobFailures;
import dev.runlane.jobs.queue.process.JobsContext;
import dev.runlane.jobs.queue.schedule.Series;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One job: what was known of it when it was read, and what can be done to it. Reading a field never asks the
 * store; {@link #refresh()} does. A method that changes the job fails with {@code JobNotFound} when it is gone and
 * with the conflict {@code job_state} when it is in another state than the method allows.
 *
 * <p>The job that a handler is given stands for one hand-out: progress, lines of log, payload, discarding, delaying and
 * failing act only as long as that lasts, which the store decides, and fail with the conflict {@code job_state} once
 * the lock is lost or the outcome is stored. {@link dev.runlane.jobs.queue.JobQueue#getJob} gives one without a
 * hand-out.
 *
 * <p>Immutable, safe for use by any thread; futures complete on the caller's context.
 */
public final class Job {
  private static final List<JobState> ANY = List.of(JobState.values());
  private static final List<JobState> OPEN =
      Arrays.stream(JobState.values()).filter(state -> !state.isTerminal()).toList();

  private final JobsContext jobs;
  private final JobData data;
  private final @Nullable JobLock handOut; // the one this job was given to a handler in

  /** A job without a hand-out. Made by the job queue; what it stands on is internal. */
  public Job(JobsContext jobs, JobData data) {
    this(jobs, data, null);
  }

  /** A job that a handler was given in this hand-out. Made by the job queue, likewise. */
  public Job(JobsContext jobs, JobData data, @Nullable JobLock handOut) {
    this.jobs = jobs;
    this.data = data;
    this.handOut = handOut;
  }

  /** Unique in its queue. */
  public String id() {
    return data.id();
  }

  /** The queue. */
  public String queueName() {
    return data.queueName();
  }

  /** Names the handler or category. */
  public String name() {
    return data.name();
  }

  /** The payload, exactly as it was stored. */
  public Json data() {
    return data.data();
  }

  /**
   * The payload as this type. Throws {@code ValidationFailed} when the type cannot hold it. A handler that lets it
   * pass has failed this attempt like any other, with the place that could not be read as the reason: the attempts
   * that the job's options allow go on, after them it is {@code failed} and keeps its payload, so that {@link
   * #retry()} or {@code retryJobs} of a deployment that can read it makes up for it.
   */
  public <T extends @Nullable Object> T dataAs(Class<T> type) {
    return jobs.payloads().decode("the payload of job " + id(), data.data(), type);
  }

  /**
   * The JSON that a payload or a result of this value is stored as. Throws {@code ValidationFailed} where there is
   * none, or none within the limits.
   */
  public Json jsonOf(@Nullable Object value) {
    return jobs.payloads().encode("a value of job " + id(), value);
  }

  /** Where it was. */
  public JobState state() {
    return data.state();
  }

  /** What it was added with. */
  public JobOptions options() {
    return data.options();
  }

  /** Attempts that ended in failure. */
  public int attemptsMade() {
    return data.attemptsMade();
  }

  /** The number of this attempt, from 1 on, while it is active; how often it was handed out otherwise. */
  public int startedAttempts() {
    return data.startedAttempts();
  }

  /** 0 to 100. */
  public double progress() {
    return data.progress();
  }

  /** What the handler returned. */
  public Optional<Json> returnvalue() {
    return Optional.ofNullable(data.returnvalue());
  }

  /** The last failure's message. */
  public Optional<String> failedReason() {
    return Optional.ofNullable(data.failedReason());
  }

  /** When its cancellation was asked for. */
  public Optional<Instant> cancelledAt() {
    return Optional.ofNullable(data.cancelledAt());
  }

  /** Its group. */
  public Optional<String> groupId() {
    return Optional.ofNullable(data.groupId());
  }

  /** All that was read of it. */
  public JobData read() {
    return data;
  }

  /** The job as it is now; empty when it is gone. */
  public Future<Optional<Job>> refresh() {
    return store(() -> jobs.store().getJob(queueName(), id()))
        .map(found -> found.map(job -> new Job(jobs, job, handOut)));
  }

  /** Whether it has completed by now. */
  public Future<Boolean> isCompleted() {
    return isNow(JobState.COMPLETED);
  }

  /** Whether it has failed by now. */
  public Future<Boolean> isFailed() {
    return isNow(JobState.FAILED);
  }

  /** Whether it is with a worker now. */
  public Future<Boolean> isActive() {
    return isNow(JobState.ACTIVE);
  }

  /** Reports its progress. Fails with {@code ValidationFailed} outside 0 to 100. */
  public Future<Void> updateProgress(double progress) {
    if (!(progress >= 0 && progress <= 100)) {
      return Future.failedFuture(
          RunlaneException.validationFailed("progress must be 0 to 100, but is %s", progress));
    }
    Json number = Json.ofChecked(Double.toString(progress));
    return update(JobUpdate.NONE.progress(progress), ANY)
        .onSuccess(done -> jobs.changed(List.of(new StoreEvent(
            StoreEventType.JOB_PROGRESS, queueName(), id(), number, jobs.clock().now()))));
  }

  /**
   * Adds a line to its log, of which the last 1 000 are kept. A handler need not wait for it: the end of its job is
   * stored once the lines that it has sent are answered, or have not been for a second.
   */
  public Future<Void> log(String line) {
    return handOut != null
        ? underLock(() -> jobs.lines().sent(handOut, jobs.store().appendLog(handOut, line)))
        : store(() -> jobs.store().appendLog(queueName(), id(), line))
            .compose(known -> known
                ? Future.succeededFuture()
                : Future.failedFuture(JobFailures.notFound(queueName(), id())));
  }

  /** The lines of its log from {@code start} to {@code end}, exclusive, oldest first. */
  public Future<List<String>> logs(int start, int end) {
    return store(() -> jobs.store().getLogs(queueName(), id(), start, end));
  }

  /** Empties its log. */
  public Future<Void> clearLogs() {
    return store(() -> jobs.store().clearLogs(queueName(), id()));
  }

  /** Its last 20 hand-outs, oldest first. */
  public Future<List<AttemptRecord>> attempts() {
    return store(() -> jobs.store().listAttempts(queueName(), id()));
  }

  /**
   * Fails it for good, in whatever open state; its worker, if any, has lost it: what its handler answers afterwards is
   * dropped. Parents learn of it. Its series goes on where its handler says so, and ends where somebody else does.
   */
  public Future<Void> moveToFailed(String reason) {
    Instant now = jobs.clock().now();
    if (handOut != null) {
      NewJob next = Series.next(data, now, unreadable -> {});
      return end(new JobOutcome.Failed(reason, null), next, now)
          .onSuccess(done -> jobs.changed(ChangeEvents.of(done, null, now)))
          .mapEmpty();
    }
    return store(() -> jobs.store().failJob(queueName(), id(), reason, now))
        .compose(change -> change
            .map(done -> {
              jobs.changed(ChangeEvents.of(done, null, now));
              return Future.<Void>succeededFuture();
            })
            .orElseGet(() -> refuse(OPEN)));
  }

  /**
   * Retries a job that has ended; attempts stay counted, so that it gets one more at least. That it was {@link #discard
   * discarded} counts no more.
   */
  public Future<Void> retry() {
    JobUpdate again = JobUpdate.NONE
        .state(JobState.WAITING)
        .discarded(false)
        .failedReason(null)
        .failedAt(null)
        .completedAt(null)
        .cancelledAt(null)
        .lockUntil(null)
        .lockedBy(null);
    return update(again, List.of(JobState.FAILED, JobState.COMPLETED))
        .onSuccess(done -> publishEvent(StoreEventType.JOB_WAITING));
  }

  /** Promotes a delayed job: it may be fetched now. */
  public Future<Void> promote() {
    return update(
            JobUpdate.NONE.state(JobState.WAITING).delayUntil(null), List.of(JobState.DELAYED))
        .onSuccess(done -> publishEvent(StoreEventType.JOB_WAITING));
  }

  /**
   * Takes an active job from its handler until this instant. What the handler answers afterwards is dropped; no
   * attempt is used. Fails with {@code ValidationFailed} for an instant in the past.
   */
  public Future<Void> moveToDelayed(Instant until) {
    Instant now = jobs.clock().now();
    if (until.isBefore(now)) {
      return Future.failedFuture(RunlaneException.validationFailed(
          "a job can be delayed until a later time only, but %s is past", until));
    }
    return end(new JobOutcome.Snooze(until), null, now)
        .onSuccess(done -> jobs.changed(
            List.of(ChangeEvents.inState(queueName(), id(), done.job().state(), until, now))))
        .mapEmpty();
  }

  /** Keeps an active job from being tried again. */
  public Future<Void> discard() {
    return update(JobUpdate.NONE.discarded(true), List.of(JobState.ACTIVE));
  }

  /** Replaces the payload of an open job. */
  public Future<Void> updateData(@Nullable Object payload) {
    return store(() ->
            Future.succeededFuture(jobs.payloads().encode("the payload of job " + id(), payload)))
        .compose(json -> update(JobUpdate.NONE.data(json), OPEN));
  }

  /**
   * Makes a delayed job due so long from now. Fails with {@code ValidationFailed} unless positive and at most 36 500
   * days.
   */
  public Future<Void> changeDelay(Duration delay) {
    if (delay.isNegative()
        || delay.isZero()
        || delay.compareTo(ContractDefaults.LONGEST_DURATION) > 0) {
      return Future.failedFuture(RunlaneException.validationFailed(
          "a delay must be positive and at most %s, but is %s",
          ContractDefaults.LONGEST_DURATION, delay));
    }
    Instant due = jobs.clock().now().plus(delay);
    return update(JobUpdate.NONE.delayUntil(due), List.of(JobState.DELAYED))
        .onSuccess(done -> jobs.changed(List.of(ChangeEvents.inState(
            queueName(), id(), JobState.DELAYED, due, jobs.clock().now()))));
  }

  /** Changes the priority of a job that waits or is delayed; any finite number, lower runs first. */
  public Future<Void> changePriority(double priority) {
    return refresh().compose(found -> found
        .map(job -> update(
            JobUpdate.NONE.options(job.options().toBuilder().priority(priority).build()),
            List.of(JobState.WAITING, JobState.DELAYED)))
        .orElseGet(() -> Future.failedFuture(JobFailures.notFound(queueName(), id()))));
  }

  /** Removes it in whatever state; its worker, if any, has lost it. Removing what is gone is harmless. */
  public Future<Void> remove() {
    Instant now = jobs.clock().now();
    return store(() -> jobs.store().removeJob(queueName(), id(), now)).map(ancestors -> {
      publishEvent(StoreEventType.JOB_REMOVED);
      jobs.changed(ChangeEvents.of(ancestors, now));
      return null;
    });
  }

  /**
   * Cancels it. A job that no worker has ends at once; a running handler is notified at once and the job ends as
   * cancelled however the handler ends. A cancelled job is never tried again. False when it had ended, is gone or
   * was cancelled before.
   */
  public Future<Boolean> cancel() {
    return jobs.cancel(queueName(), id());
  }

  /** Its parent in a flow; empty when it has none, or none any more. */
  public Future<Optional<Job>> getParent() {
    String parent = data.parentId();
    String parentQueue = data.parentQueueName();
    return parent == null || parentQueue == null
        ? Future.succeededFuture(Optional.empty())
        : store(() -> jobs.store().getJob(parentQueue, parent))
            .map(found -> found.map(job -> new Job(jobs, job)));
  }

  /** Its children in a flow that are still there, oldest first. */
  public Future<List<Job>> getDependencies() {
    return store(() -> jobs.store().getChildrenJobs(queueName(), id()))
        .map(children -> children.stream()
            .filter(data::isParentOf)
            .map(child -> new Job(jobs, child))
            .toList());
  }

  /**
   * What its completed children returned, by their ids; null is a return value. Of those that are still there: what a
   * child returned goes with it, so one whose {@code removeOnComplete} removes it before its parent has run is missing.
   */
  public Future<Map<String, Json>> getChildrenValues() {
    return getDependencies().map(children -> children.stream()
        .filter(child -> child.state() == JobState.COMPLETED)
        .collect(Collectors.toMap(
            Job::id,
            child -> child.returnvalue().orElse(Json.ofChecked("null")),
            (one, other) -> one,
            LinkedHashMap::new)));
  }

  /**
   * What it returns, once it has completed; at once when it has. Fails with {@code TaskFailed} and its reason when
   * it failed, with {@code OperationCancelled} when it was cancelled, with {@code JobNotFound} when it is gone.
   */
  public Future<Optional<Json>> waitUntilFinished() {
    return jobs.watches().await(queueName(), id(), Optional.empty());
  }

  /** The same for so long; then fails with {@code OperationCancelled}. The job continues. */
  public Future<Optional<Json>> waitUntilFinished(Duration timeout) {
    return jobs.watches().await(queueName(), id(), Optional.of(timeout));
  }

  /** Observes the job's progress and end. */
  public JobObservable observe() {
    return new JobObservable(jobs, queueName(), id());
  }

  /** What people want to see of it, for logs and answers over HTTP. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject()
        .put("id", id())
        .put("queueName", queueName())
        .put("name", name())
        .put("state", state().value())
        .put("attemptsMade", attemptsMade())
        .put("progress", progress())
        .put("createdAt", data.createdAt().toString())
        .put("data", value(data.data()))
        .put("childrenIds", new JsonArray(data.childrenIds()));
    returnvalue().ifPresent(value -> json.put("returnvalue", value(value)));
    failedReason().ifPresent(reason -> json.put("failedReason", reason));
    groupId().ifPresent(group -> json.put("groupId", group));
    put(json, "processedAt", data.processedAt());
    put(json, "completedAt", data.completedAt());
    put(json, "failedAt", data.failedAt());
    put(json, "delayUntil", data.delayUntil());
    put(json, "cancelledAt", data.cancelledAt());
    return json;
  }

  /** Names queue and job, never the payload. */
  @Override
  public String toString() {
    return "Job[" + queueName() + "/" + id() + " " + state().value() + "]";
  }

  private @Nullable Object value(Json json) {
    return jobs.payloads().decode("a value of job " + id(), json, Object.class);
  }

  private static void put(JsonObject json, String key, @Nullable Instant instant) {
    if (instant != null) {
      json.put(key, instant.toString());
    }
  }

  private Future<Boolean> isNow(JobState wanted) {
    return refresh().map(found -> found.filter(job -> job.state() == wanted).isPresent());
  }

  /** A call under the lock of the hand-out that the handler was called for. */
  private Future<Void> underLock(Supplier<Future<Boolean>> call) {
    return store(call)
        .compose(held -> held
            ? Future.succeededFuture()
            : Future.failedFuture(JobFailures.wrongState(
                queueName(), id(), "not this handler's any more", "active")));
  }

  /** Ends the hand-out. */
  private Future<FinishedJob> end(JobOutcome outcome, @Nullable NewJob next, Instant now) {
    return handedOut()
        .compose(
            lock -> store(() -> jobs.store().finishJob(new FinishJob(lock, outcome, next, now))))
        .compose(result -> result instanceof FinishResult.Finished finished
            ? Future.succeededFuture(finished.change())
            : refuse(List.of(JobState.ACTIVE)));
  }

  /** This hand-out, or the running one when this job was not given to a handler. */
  private Future<JobLock> handedOut() {
    if (handOut != null) {
      return Future.succeededFuture(handOut);
    }
    return refresh().compose(found -> {
      if (found.isEmpty()) {
        return Future.failedFuture(JobFailures.notFound(queueName(), id()));
      }
      JobData fresh = found.get().data;
      return fresh.lockToken() == null
          ? refuse(List.of(JobState.ACTIVE))
          : Future.succeededFuture(fresh.lock());
    });
  }

  /** In a handler only while its hand-out lasts: then the job is active. */
  private Future<Void> update(JobUpdate update, List<JobState> allowed) {
    if (handOut != null && allowed.contains(JobState.ACTIVE)) {
      return underLock(() -> jobs.store().updateJob(handOut, update));
    }
    return store(() -> jobs.store().updateJob(queueName(), id(), update, allowed))
        .recover(failure -> JobFailures.unknownIsNotFound(failure, queueName(), id()));
  }

  private <T> Future<T> refuse(List<JobState> wanted) {
    return refresh()
        .compose(found -> Future.failedFuture(found
            .map(job -> JobFailures.wrongState(
                queueName(),
                id(),
                job.state().value(),
                wanted.stream().map(JobState::value).collect(Collectors.joining(", "))))
            .orElseGet(() -> JobFailures.notFound(queueName(), id()))));
  }

  private void publishEvent(StoreEventType type) {
    jobs.changed(List.of(StoreEvent.of(type, queueName(), id(), jobs.clock().now())));
  }

  private static <T> Future<T> store(Supplier<Future<T>> call) {
    return AdapterCall.of("the job store", call);
  }
}
