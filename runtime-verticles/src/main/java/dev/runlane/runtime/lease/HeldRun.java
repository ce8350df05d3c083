package dev.runlane.runtime.lease;

import dev.runlane.json.JsonValues;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.observe.RefusedOutcome;
import dev.runlane.runtime.process.ClockMonitor;
import dev.runlane.runtime.process.Failures;
import dev.runlane.runtime.process.RunAppends;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.report.AttemptLog;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.StorageRefusals;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The durable side of one attempt: what this process knows of the run it leases. Everything that is written
 * for the attempt goes through one queue, one command at a time, so that heartbeat and outcome never race
 * each other for the sequence. Touched on the home context only.
 *
 * <p>The lease ends by the time of this process, counted from when the claim or the heartbeat was sent, whatever
 * the storage does or does not answer. From then on others may take the run over, and no heartbeat is sent. What
 * is written is compared with the run's sequence and the lease's token, so it is offered all the same, and is
 * refused only where somebody has taken the run over.
 */
public final class HeldRun {
  private static final Backoff REREAD =
      Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(2));
  private static final Backoff AFTER_REFUSAL =
      Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(10));
  private static final Duration AT_ONCE = Duration.ofMillis(1);
  private static final int MOST_LOST_RACES = 100;

  /** In the meta of a heartbeat: why the outcome is refused that the attempt waits with. */
  public static final String OUTCOME_REFUSED = "outcomeRefused";

  /** In the meta of a heartbeat: since when it is. */
  public static final String REFUSED_SINCE = "refusedSince";

  private final RuntimeContext context;
  private final Lease claimed;
  private final int attempt;
  private final Listener listener;
  private RunRecord run;
  private Duration leaseEnd; // on the timers' own time
  private Duration heartbeatDue;
  private Future<?> tail = Future.succeededFuture(); // the last command's end, never failed
  private @Nullable Promise<?> unanswered; // the call to the storage that is under way
  private Duration askedAt = Duration.ZERO; // when that began
  private Duration answeredAt; // when the storage last did what it was asked for about the run
  private boolean heartbeatPending;
  private int lostRaces; // of heartbeats, in a row
  private boolean ending; // an outcome is on its way: no heartbeat any more, unless it is refused
  private boolean leaseOver; // others may take the run over, but nobody is known to have done so
  private boolean lost;
  private @Nullable RefusedOutcome refused; // by a storage to which it is offered again

  /** @param sentAt when the claim was sent, on the timers' own time */
  public HeldRun(
      RuntimeContext context, RunRecord run, Lease claimed, Duration sentAt, Listener listener) {
    this.context = context;
    this.run = run;
    this.claimed = claimed;
    this.listener = listener;
    attempt = run.counters().attempts();
    leaseEnd = sentAt.plus(context.options().getLeaseDuration());
    answeredAt = sentAt;
    // The first comes somewhere in the second half of the interval, which spreads what was claimed
    // at once.
    heartbeatDue = now().plus(interval(50 + context.randomness().nextInt(50), 100));
  }

  /** The run as this process knows it. */
  public RunRecord run() {
    return run;
  }

  /** Whether the attempt goes on, as far as is known. */
  boolean goesOn() {
    return !ending && !leaseOver && !lost;
  }

  /** Whether the storage has answered about it lately: a heartbeat that is due is not long without an answer. */
  boolean isAnswered() {
    return now().minus(answeredAt).compareTo(interval(3, 2)) < 0;
  }

  public String id() {
    return run.id();
  }

  /** What the storage refuses of it, if it is offered again. */
  Optional<RefusedOutcome> refused() {
    return Optional.ofNullable(refused);
  }

  /** Whether the lease has ended by this process's own time. */
  public boolean isLeaseOver() {
    return now().compareTo(leaseEnd) >= 0;
  }

  /** When the lease ends as it is known now, on the timers' own time. */
  Duration leaseEnd() {
    return leaseEnd;
  }

  /**
   * Does what is due: gives up a call that the storage does not answer, and extends the lease. What becomes of it
   * is told to the listener.
   */
  void maintain() {
    giveUpUnanswered();
    if (ending || lost) {
      return;
    }
    endLease();
    if (!heartbeatPending && now().compareTo(heartbeatDue) >= 0) {
      heartbeatPending = true;
      inTurn(this::heartbeat).onComplete(done -> heartbeatPending = false);
    }
  }

  /**
   * Tells the listener once that the lease has ended, if it has; a release under way may leave the attempt going on.
   */
  void endLease() {
    if (!leaseOver && !ending && !lost && isLeaseOver()) {
      leaseOver = true;
      heartbeatDue = now().plus(interval());
      listener.leaseEnded();
    }
  }

  private void giveUpUnanswered() {
    Promise<?> call = unanswered;
    if (call != null && now().minus(askedAt).compareTo(answerTimeout()) >= 0) {
      unanswered = null;
      call.tryFail(RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          null,
          "the storage did not answer about run %s within %s",
          id(),
          answerTimeout()));
    }
  }

  /** Reads the run again, because somebody may have asked it to cancel. */
  void refresh() {
    if (!ending && !lost) {
      inTurn(this::readOn);
    }
  }

  /** Takes what somebody in this process has stored, unless it is older than what is known, or not owned. */
  void changed(AppendedRun stored) {
    if (!ending && !lost && isOwn(stored.run())) {
      answeredAt = now();
      inTurn(() -> {
        adopt(stored);
        return Future.succeededFuture();
      });
    }
  }

  /**
   * Writes the outcome after what is in flight; a heartbeat that only waits is dropped. Completes with the
   * run as it is then, or empty when the lease was lost and nothing was written.
   *
   * @param decision the outcome for a state of the run, asked again after each lost race
   */
  public Future<Optional<RunRecord>> end(Function<RunRecord, List<RunEvent>> decision) {
    ending = true;
    return inTurn(() ->
        write(new PendingWrite(decision)).compose(written -> releaseLease().map(written)));
  }

  /**
   * Writes an outcome that is only right while nothing has happened to the run, after what is in flight.
   * Completes as {@link #end}; with the run still leased where the decision was to go on instead.
   *
   * @param decision the outcome for a state of the run, asked again after each lost race; no event: the attempt
   *     goes on
   */
  public Future<Optional<RunRecord>> suspend(Function<RunRecord, List<RunEvent>> decision) {
    ending = true;
    return inTurn(() -> write(new PendingWrite(decision))
            .compose(
                written -> ending ? releaseLease().map(written) : Future.succeededFuture(written)))
        .onFailure(failure -> ending = false);
  }

  /**
   * Writes what belongs to the attempt while it goes on, after what is in flight. Completes with the events as
   * they are stored and the run after them, or after what else has happened since; fails when the lease was lost
   * and nothing was written.
   *
   * @param decision the events for a state of the run, asked again after each lost race; they keep the lease
   */
  public Future<Written> append(Function<RunRecord, List<RunEvent>> decision) {
    PendingWrite offer = new PendingWrite(decision);
    return inTurn(() -> write(offer))
        .compose(written -> written.isPresent()
            ? Future.succeededFuture(new Written(offer.events, written.get().eventSequence()))
            : Future.failedFuture(RunlaneException.conflict(
                StorageConflictKind.LEASE_OWNERSHIP, "run %s is not leased here any more", id())));
  }

  /** Abandons the run without an outcome: its lease expires. */
  public void abandon() {
    lost = true;
    refusalEnded();
  }

  private Future<Void> heartbeat() {
    if (ending || lost) {
      return Future.succeededFuture();
    }
    heartbeatDue = now().plus(interval());
    if (leaseOver) {
      return readOn().recover(unread -> Future.succeededFuture()); // again after the interval
    }
    return extend(() -> ending || lost, this::heartbeatFailed);
  }

  private Future<Void> extend(BooleanSupplier over, Function<Throwable, Future<Void>> failed) {
    ClockMonitor watch = context.clockMonitor();
    // By a wrong clock the lease would be over already, or last for ever; only a new measurement
    // tells.
    return watch.mayClaim()
        ? extend(Duration.ZERO, over, failed)
        : answered(watch.measure())
            .transform((measured, unread) ->
                unread == null ? extend(watch.ahead(), over, failed) : notExtended(unread));
  }

  /** @param ahead how far this process's clock is ahead of that which others go by */
  private Future<Void> extend(
      Duration ahead, BooleanSupplier over, Function<Throwable, Future<Void>> failed) {
    if (over.getAsBoolean()) {
      return Future.succeededFuture();
    }
    Duration sentAt = now();
    Instant now = context.clock().now().minus(ahead);
    Lease longer = claimed.until(now.plus(context.options().getLeaseDuration()));
    EventHeader header = headerOfHeartbeat();
    RunEvent.LeaseHeartbeat event = new RunEvent.LeaseHeartbeat(header, longer);
    RunRecord projected = RunAppends.project(run, List.of(event));
    return answered(context
            .storage()
            .heartbeatRunLease(new HeartbeatRunLease(
                run.environment(), run.id(), run.eventSequence(), event, projected, now)))
        .map(extended -> {
          log().heartbeats().succeeded();
          lostRaces = 0;
          run = extended.run();
          reportIfLate();
          leaseEnd = sentAt.plus(context.options().getLeaseDuration());
          return (Void) null;
        })
        .recover(failed);
  }

  /** Processes that do not hold the run learn from its history what its owner waits with. */
  private EventHeader headerOfHeartbeat() {
    EventHeader header = context.appends().header(run);
    RefusedOutcome waiting = refused;
    return waiting == null
        ? header
        : header.withMeta(JsonValues.object(new TreeMap<>(Map.of(
            OUTCOME_REFUSED,
            waiting.code().value(),
            REFUSED_SINCE,
            waiting.since().toString()))));
  }

  /** With {@link #leaseEnd} as it was before the lease was renewed. */
  private void reportIfLate() {
    Duration left = leaseEnd.minus(now());
    if (left.compareTo(interval()) < 0) {
      context.observer().heartbeatLate(run, interval().multipliedBy(2).minus(left));
    }
  }

  private Future<Void> heartbeatFailed(Throwable failure) {
    if (isConflict(failure, StorageConflictKind.LEASE_OWNERSHIP)) {
      markLost();
      return Future.succeededFuture();
    }
    if (isConflict(failure, StorageConflictKind.EVENT_SEQUENCE)) {
      heartbeatDue = now(); // again, with what is read now
      if (++lostRaces > 1) {
        log().heartbeats().failed(failure, "the lease of run " + id() + " is renewed later");
      }
      return readOn().recover(this::notExtended);
    }
    return notExtended(failure);
  }

  private Future<Void> notExtended(Throwable failure) {
    log()
        .heartbeats()
        .failed(failure, "the lease of run " + id() + " lasts " + leaseEnd.minus(now()) + " more");
    heartbeatDue = now().plus(interval().dividedBy(4));
    return Future.succeededFuture();
  }

  private Future<Void> readOn() {
    return answered(context.storage().getRun(new GetRun(run.environment(), run.id())))
        .map(read -> {
          if (read.isEmpty() || !isOwn(read.get())) {
            markLost();
          } else if (read.get().eventSequence() != run.eventSequence()) {
            adopt(read.get());
          }
          return null;
        });
  }

  /**
   * What is read in turn is the latest, also where a failover has lost events that were stored before. An attempt with
   * steps does not go on then: the handler may have had a result, or wait for one, of which the history knows nothing.
   */
  private void adopt(RunRecord read) {
    if (read.eventSequence() < run.eventSequence() && listener.hasSteps()) {
      markLost();
      return;
    }
    run = read;
    listener.changed(run, List.of());
  }

  /** What follows at once what is known need not be read. */
  private void adopt(AppendedRun stored) {
    long before = stored.run().eventSequence() - stored.events().size();
    if (before == run.eventSequence()) {
      run = stored.run();
      listener.changed(run, stored.events().stream().map(RunEventRecord::event).toList());
    } else if (stored.run().eventSequence() > run.eventSequence()) {
      adopt(stored.run());
    }
  }

  /**
   * Offers until the storage has decided; an outage is waited out, and so is what somebody can mend who has the
   * database, unless it lasts too long.
   */
  private Future<Optional<RunRecord>> write(PendingWrite offer) {
    return context.retrying(
        () -> offer.failures == 0 ? writeOnce(offer) : offerAgain(offer).map(this::refusalEnded),
        failure -> {
          Optional<Duration> pause = isOutage(failure) || StorageRefusals.mayEnd(failure)
              ? pause(offer, failure)
              : Optional.empty();
          return pause.isEmpty() ? refusalEnded(pause) : pause;
        });
  }

  private <T> T refusalEnded(T what) {
    refusalEnded();
    return what;
  }

  private void refusalEnded() {
    RefusedOutcome ended = refused;
    if (ended != null) {
      refused = null;
      context.observer().refusalEnded(ended);
    }
  }

  /** A storage that refuses what is offered may take heartbeats: nobody else is to repeat the work meanwhile. */
  private Future<Optional<RunRecord>> offerAgain(PendingWrite offer) {
    boolean isDue = now().compareTo(heartbeatDue) >= 0;
    return offer.refused && isDue && !lost && !leaseOver && !isLeaseOver()
        ? keepLease().compose(kept -> kept ? writeOnce(offer) : readAgain(offer))
        : readAgain(offer);
  }

  /** Whether the lease was renewed: then nothing of what was offered before is stored. */
  private Future<Boolean> keepLease() {
    heartbeatDue = now().plus(interval());
    long before = run.eventSequence();
    return Future.<Void>succeededFuture()
        .compose(start -> extend(() -> lost, Future::failedFuture))
        .recover(failure -> isOvertaken(failure) ? extendedSoon() : notExtended(failure))
        .map(done -> run.eventSequence() != before);
  }

  /** What is read next says whether the lease is still the own one. */
  private Future<Void> extendedSoon() {
    heartbeatDue = now();
    return Future.succeededFuture();
  }

  private Future<Optional<RunRecord>> writeOnce(PendingWrite offer) {
    if (lost) {
      return Future.succeededFuture(Optional.empty());
    }
    List<RunEvent> events = offer.to(run);
    if (events.isEmpty()) {
      ending = false;
      return Future.succeededFuture(Optional.of(run));
    }
    return answered(context.appends().append(run, events, claimed))
        .map(appended -> {
          log().writes().succeeded();
          if (offer.refused) {
            log().refusals().succeeded();
          }
          run = appended.run();
          return Optional.of(run);
        })
        .recover(failure -> isOvertaken(failure) && ++offer.lostRaces < MOST_LOST_RACES
            ? readAgain(offer)
            : Future.failedFuture(failure));
  }

  /**
   * What is stored decides: the own events mean success, an own lease another try, else the lease is lost. The run of
   * an outcome that is stored is the one that the outcome left: the next attempt may have begun since.
   */
  private Future<Optional<RunRecord>> readAgain(PendingWrite offer) {
    RunRecord before = run;
    List<RunEvent> sent = offer.events;
    RunRecord after = RunAppends.project(before, sent);
    boolean ends = after.lease() == null;
    return answered(context.storage().getRun(new GetRun(before.environment(), before.id())))
        .compose(read -> {
          boolean own = read.isPresent() && isOwn(read.get());
          if (own && ends) {
            return writeAgain(offer, read.get()); // an outcome would have ended the lease
          }
          if (!own && !ends) {
            return lost(); // what was stored is for the next attempt to read
          }
          return holdsOwn(sent, before, read).compose(written -> {
            if (own) {
              return written ? adopted(read.get()) : writeAgain(offer, read.get());
            }
            return written ? Future.succeededFuture(Optional.of(after)) : lost();
          });
        });
  }

  private Future<Optional<RunRecord>> lost() {
    markLost();
    return Future.succeededFuture(Optional.empty());
  }

  private Future<Optional<RunRecord>> writeAgain(PendingWrite offer, RunRecord read) {
    return adopted(read).compose(adopted -> writeOnce(offer));
  }

  private Future<Optional<RunRecord>> adopted(RunRecord read) {
    adopt(read);
    return Future.succeededFuture(Optional.of(read));
  }

  /** Whether a command whose reply was lost was stored. */
  private Future<Boolean> holdsOwn(
      List<RunEvent> sent, RunRecord before, Optional<RunRecord> read) {
    if (read.isEmpty() || read.get().eventSequence() < before.eventSequence() + sent.size()) {
      return Future.succeededFuture(false);
    }
    if (read.get().equals(RunAppends.project(before, sent))) {
      return Future.succeededFuture(true);
    }
    if (!context.storage().capabilities().contains(StorageCapability.READS_RUN_HISTORY)) {
      return Future.succeededFuture(false);
    }
    RunEvent first = sent.get(0);
    return answered(context
            .storage()
            .listRunEvents(new ListRunEvents(
                before.environment(),
                new RunEventFilter(
                    before.id(), Set.of(first.type()), first.header().occurredAt(), null),
                RunEventSort.HISTORY,
                null,
                null)))
        .map(page -> page.data().stream()
            .filter(row -> row.sequence() == before.eventSequence() + 1)
            .map(RunEventRecord::event)
            .anyMatch(first::equals));
  }

  /** Before the next offer; empty when the first was so long ago that the attempt is given up. */
  private Optional<Duration> pause(PendingWrite offer, Throwable failure) {
    if (lost) {
      return Optional.empty();
    }
    Duration left = context.options().getOutcomeTimeout().minus(now().minus(offer.since));
    if (left.isNegative() || left.isZero()) {
      markLost();
      return Optional.empty();
    }
    offer.failures++;
    return Optional.of(
        isOutage(failure) ? outagePause(offer, failure) : refusalPause(offer, failure, left));
  }

  private Duration outagePause(PendingWrite offer, Throwable failure) {
    Duration pause = REREAD.delay(offer.failures, context.randomness());
    log().writes().failed(failure, pause);
    return pause;
  }

  /** Not past the next heartbeat. */
  private Duration refusalPause(PendingWrite offer, Throwable failure, Duration left) {
    offer.refused = true;
    RefusedOutcome told = refusedWith(failure);
    refused = told;
    context.observer().outcomeRefused(told);
    Duration delay = AFTER_REFUSAL.delay(offer.failures, context.randomness());
    Duration untilHeartbeat = heartbeatDue.minus(now());
    boolean isShorter = untilHeartbeat.compareTo(delay) < 0 && !leaseOver && !isLeaseOver();
    Duration sooner = untilHeartbeat.compareTo(AT_ONCE) < 0 ? AT_ONCE : untilHeartbeat;
    Duration pause = isShorter ? sooner : delay;
    log()
        .refusals()
        .failed(
            failure,
            String.format(
                Locale.ROOT,
                "run %s of task %s is kept and its attempt %d offered again in %s, for %s at most",
                id(),
                run.taskId(),
                attempt,
                pause,
                left));
    return pause;
  }

  private RefusedOutcome refusedWith(Throwable failure) {
    RunlaneException refusal = Failures.runlane("storing it", failure);
    RefusedOutcome before = refused;
    return new RefusedOutcome(
        id(),
        run.taskId(),
        run.queue(),
        claimed.workerId(),
        attempt,
        before == null ? context.eventTime() : before.since(),
        before == null ? 1 : before.times() + 1,
        refusal.code(),
        String.valueOf(refusal.getMessage()));
  }

  /** Nothing is left to release where the outcome itself clears the lease; a failure changes nothing. */
  private Future<Void> releaseLease() {
    if (lost) {
      return Future.succeededFuture();
    }
    return answered(context
            .storage()
            .releaseRunLease(new ReleaseRunLease(
                run.environment(), run.id(), claimed.token(), claimed.workerId())))
        .recover(failure -> {
          log().writes().failed(failure, "the lease of run " + id() + " will expire");
          return Future.succeededFuture();
        });
  }

  private void markLost() {
    if (!lost) {
      lost = true;
      listener.leaseLost();
    }
  }

  private boolean isOwn(RunRecord read) {
    return read.isLeasedWith(claimed.token()) && read.counters().attempts() == attempt;
  }

  /** The answer of the storage, or an outage if none comes in time: then {@link #maintain} gives the call up. */
  private <T> Future<T> answered(Future<T> call) {
    if (call.isComplete()) {
      answeredAt = call.succeeded() ? now() : answeredAt;
      return call;
    }
    Promise<T> answer = Promise.promise();
    unanswered = answer;
    askedAt = now();
    call.onComplete(result -> {
      if (unanswered == answer) {
        unanswered = null;
      }
      if (result.succeeded()) {
        answeredAt = now();
        answer.tryComplete(result.result());
      } else {
        answer.tryFail(result.cause());
      }
    });
    return answer.future();
  }

  private <T> Future<T> inTurn(Supplier<Future<T>> command) {
    Future<T> next = tail.transform(before -> command.get());
    tail = next.transform(done -> {
      if (done.failed() && !ending) {
        log().reads().failed(done.cause(), "the next heartbeat looks again");
      }
      return Future.succeededFuture();
    });
    return next;
  }

  /** Between heartbeats. */
  private Duration interval() {
    return interval(1, 1);
  }

  /** A part of it, without the decimals that {@link Duration#dividedBy(long)} goes by: each run asks for one. */
  private Duration interval(int part, int of) {
    return Duration.ofNanos(context.options().getLeaseDuration().toNanos() / 3 / of * part);
  }

  private AttemptLog log() {
    return context.attemptLog();
  }

  /** How long an answer is waited for: less than a third of the lease, as often as {@link #maintain} looks. */
  private Duration answerTimeout() {
    return context.options().getLeaseDuration().multipliedBy(3).dividedBy(10);
  }

  private Duration now() {
    return context.timers().elapsed();
  }

  private static boolean isConflict(Throwable failure, StorageConflictKind kind) {
    return failure instanceof RunlaneException conflict && conflict.isConflict(kind);
  }

  /** Of an outcome that was stored, whose answer was lost, too: it has ended the lease. */
  private static boolean isOvertaken(Throwable failure) {
    return isConflict(failure, StorageConflictKind.EVENT_SEQUENCE)
        || isConflict(failure, StorageConflictKind.LEASE_OWNERSHIP);
  }

  private static boolean isOutage(Throwable failure) {
    return failure instanceof RunlaneException outage
        && outage.code() == ErrorCode.STORAGE_UNAVAILABLE;
  }

  /**
   * What is offered to the storage until it is stored or refused. As long as nothing else has happened to the run,
   * the very same events are offered: a command that was given up may still take effect, and is then recognised.
   */
  private final class PendingWrite {
    private final Function<RunRecord, List<RunEvent>> decision;
    private final Duration since = now();
    private List<RunEvent> events = List.of();
    private long sequence = -1; // of the run they follow
    private int lostRaces;
    private int failures; // that were waited out
    private boolean refused; // by a storage that answers

    PendingWrite(Function<RunRecord, List<RunEvent>> decision) {
      this.decision = decision;
    }

    List<RunEvent> to(RunRecord known) {
      if (known.eventSequence() != sequence) {
        events = decision.apply(known);
        sequence = known.eventSequence();
      }
      return events;
    }
  }

  /**
   * What was written while the attempt goes on.
   *
   * @param events the events as they are stored
   * @param sequence the run's after them, or a later one
   */
  public record Written(List<RunEvent> events, long sequence) {}

  /** Is told on the home context what became of the run. */
  public interface Listener {
    /**
     * Somebody wrote to the run, for example a cancellation request.
     *
     * @param news all that was written since what was known before; empty: that is to be read
     */
    void changed(RunRecord run, List<RunEvent> news);

    /** Whether the handler has asked for steps, so that it goes by the run's history. */
    boolean hasSteps();

    /**
     * The lease has ended by this process's own time: others may take the run over. What the attempt comes to is
     * still offered. Told once at most.
     */
    void leaseEnded();

    /**
     * The run is somebody else's, or is given up, or has lost events that the attempt goes by: nothing will be written.
     * Told once at most.
     */
    void leaseLost();
  }
}
