package dev.runlane.runtime.lease;

import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.ReadableRuns;
import dev.runlane.runtime.process.RunAppends;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.RegisteredTask;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.timing.FailureLog;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes leases: of whatever is due, of runs that are named, or of one run. */
public final class Claims {
  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);
  private static final int CANDIDATES_PER_SLOT = 4;

  private final RuntimeContext context;
  private final FailureLog failures;

  public Claims(RuntimeContext context) {
    this.context = context;
    failures = new FailureLog(LOG, "claiming some of the runs that are due", context.timers());
  }

  /**
   * Runs that were claimed and started.
   *
   * @param runs as they are now
   * @param sentAt when their leases began, on the timers' own time: before any of the claims was sent
   * @param mayHaveMore whether asking again soon is worthwhile
   */
  public record Claimed(List<RunRecord> runs, Duration sentAt, boolean mayHaveMore) {}

  /**
   * One of them.
   *
   * @param run as it is now
   * @param sentAt when its lease began, on the timers' own time: before the claim was sent
   */
  public record ClaimedRun(RunRecord run, Duration sentAt) {}

  /**
   * Claims up to {@code limit} due runs of those of these queues that are not paused and of any task that has a
   * handler here. Fails while the clock of this process is not to be trusted.
   */
  public Future<Claimed> claimDue(List<QueuePolicy> queues, String workerId, int limit) {
    return context.pauses().running(queues).compose(running -> claimOf(running, workerId, limit));
  }

  /**
   * Claims those of these runs that are due now, in this queue without a limit, of any task that has a handler here.
   * What is not among them may still be claimed as it is read. Fails while the clock of this process is not to be
   * trusted.
   */
  Future<Claimed> claimNamed(
      BatchStorage batch, QueuePolicy queue, String workerId, List<String> runIds) {
    return agreedNow()
        .compose(now -> claimTogether(batch, now, List.of(queue), workerId, runIds.size(), runIds));
  }

  /**
   * Claims this run as it was read and starts its next attempt. Empty when somebody else was faster. Fails while the
   * clock of this process is not to be trusted.
   */
  public Future<Optional<ClaimedRun>> claim(RunRecord run, QueuePolicy queue, String workerId) {
    Duration sentAt = context.timers().elapsed();
    return agreedNow()
        .compose(now -> claimAt(now, run, queue, workerId))
        .map(claimed -> claimed.map(mine -> new ClaimedRun(mine, sentAt)));
  }

  private Future<Optional<RunRecord>> claimAt(
      Instant now, RunRecord run, QueuePolicy queue, String workerId) {
    if (!RunDueTimes.isRunnableAt(run, now)) {
      return Future.succeededFuture(Optional.empty());
    }
    EventHeader header = context.appends().header(run);
    List<RunEvent> events = List.of(
        new RunEvent.LeaseClaimed(header, newLease(workerId, now)),
        new RunEvent.Started(header, run.counters().attempts() + 1));
    return context
        .storage()
        .claimRunLease(new ClaimRunLease(
            run.environment(),
            run.id(),
            run.eventSequence(),
            events,
            RunAppends.project(run, events),
            queue,
            now))
        .map(claimed -> claimed.map(AppendedRun::run).filter(Claims::isLeased));
  }

  /** One run that the storage gave no lease must not keep the others of its claim from their handlers. */
  private static boolean isLeased(RunRecord run) {
    if (run.lease() == null) {
      LOG.error("the storage claimed run {} without a lease; it is left alone", run.id());
      return false;
    }
    return true;
  }

  /**
   * The time, for a lease that begins with it. Fails while the clock of this process is not to be trusted: asked at
   * this moment, since a clock may have jumped while the storage answered something else.
   */
  public Future<Instant> agreedNow() {
    return context.clockMonitor().requireAgreement().map(agreed -> context
        .clock()
        .now());
  }

  /** A lease that begins at {@code now}. */
  public Lease newLease(String workerId, Instant now) {
    return new Lease(
        context.ids().token(), workerId, now.plus(context.options().getLeaseDuration()));
  }

  private Future<Claimed> claimOf(List<QueuePolicy> queues, String workerId, int limit) {
    return queues.isEmpty()
        ? Future.succeededFuture(new Claimed(List.of(), context.timers().elapsed(), false))
        : context
            .batch()
            .map(batch -> agreedNow()
                .compose(now -> claimTogether(batch, now, queues, workerId, limit, null)))
            .orElseGet(() -> claimCandidates(queues, workerId, limit));
  }

  private Future<Claimed> claimTogether(
      BatchStorage batch,
      Instant now,
      List<QueuePolicy> queues,
      String workerId,
      int limit,
      @Nullable List<String> runIds) {
    Duration sentAt = context.timers().elapsed();
    Set<String> named = runIds == null ? null : Set.copyOf(runIds);
    return batch
        .claimRuns(new ClaimRuns(
            context.environment(),
            queues,
            context.registry().handledTaskIds(),
            workerId,
            context.ids().token(),
            context.options().getLeaseDuration(),
            now,
            limit,
            runIds))
        .map(claimed -> new Claimed(
            claimed.runs().stream()
                .filter(Claims::isAsTheReducerSays)
                .map(ClaimedRuns.Claimed::run)
                .filter(run -> isAskedFor(run, named))
                .filter(Claims::isLeased)
                .toList(),
            sentAt,
            claimed.mayHaveMore()));
  }

  /** The storage projected by itself: what it made is used only if the reducer makes the same. */
  private static boolean isAsTheReducerSays(ClaimedRuns.Claimed claimed) {
    List<RunEvent> events = claimed.events().stream().map(RunEventRecord::event).toList();
    try {
      if (RunAppends.project(claimed.before(), events).equals(claimed.run())) {
        return true;
      }
      throw RunlaneException.invariantViolation(
          "run %s was claimed with a projection that its events do not make",
          claimed.run().id());
    } catch (RunlaneException violation) {
      LOG.error("run {} is left to its lease", claimed.run().id(), violation);
      return false;
    }
  }

  /**
   * One run that nobody here can work on must not keep the others of its claim from their handlers.
   *
   * @param named one of these; null: any
   */
  private boolean isAskedFor(RunRecord run, @Nullable Set<String> named) {
    boolean known = (named == null || named.contains(run.id()))
        && context
            .registry()
            .task(run.taskId())
            .filter(RegisteredTask::hasHandler)
            .isPresent()
        && context.registry().queue(run.queue()).isPresent();
    if (!known) {
      LOG.error(
          "the storage gave run {} of task {} on queue {}, which was not asked for; it is left alone",
          run.id(),
          run.taskId(),
          run.queue());
    }
    return known;
  }

  private Future<Claimed> claimCandidates(List<QueuePolicy> queues, String workerId, int limit) {
    int candidates = Math.multiplyExact(limit, CANDIDATES_PER_SLOT);
    return agreedNow()
        .compose(now -> context
            .storage()
            .listRunnableRuns(new ListRunnableRuns(
                context.environment(),
                queues,
                context.registry().handledTaskIds(),
                now,
                candidates)))
        .compose(refs -> ReadableRuns.of(context, someOf(refs, limit)).compose(found -> {
          found
              .unreadable()
              .forEach((runId, failure) ->
                  failures.failed(failure, "run %s is left alone".formatted(runId)));
          return claimEach(List.copyOf(found.runs().values()), workerId, refs.size());
        }));
  }

  private Future<Claimed> claimEach(List<RunRecord> runs, String workerId, int candidates) {
    Duration sentAt = context.timers().elapsed();
    List<Future<Optional<ClaimedRun>>> claims = runs.stream()
        .filter(run -> isAskedFor(run, null))
        .flatMap(run -> context.registry().queue(run.queue()).stream()
            .map(queue -> claim(run, queue.policy(), workerId)))
        .toList();
    return Future.join(claims).transform(all -> {
      List<RunRecord> claimed = claims.stream()
          .filter(Future::succeeded)
          .flatMap(claim -> claim.result().stream())
          .map(ClaimedRun::run)
          .toList();
      if (all.failed() && claimed.isEmpty()) {
        return Future.failedFuture(all.cause());
      }
      if (all.failed()) { // what was claimed must run, even if the claim of another one failed
        failures.failed(all.cause(), "they are left for later");
      }
      return Future.succeededFuture(new Claimed(claimed, sentAt, candidates > claimed.size()));
    });
  }

  /** A random part, so that competing workers seldom want the same runs. */
  private List<String> someOf(List<RunnableRunRef> refs, int limit) {
    List<String> ids = new ArrayList<>(refs.stream().map(RunnableRunRef::runId).toList());
    List<String> some = new ArrayList<>();
    while (some.size() < limit && !ids.isEmpty()) {
      some.add(ids.remove(context.randomness().nextInt(ids.size())));
    }
    return some;
  }
}
