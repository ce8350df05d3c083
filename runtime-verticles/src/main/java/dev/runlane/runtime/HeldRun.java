package dev.runlane.runtime;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.AppendedRun;
import dev.runlane.storage.GetRun;
import dev.runlane.storage.HeartbeatRunLease;
import dev.runlane.storage.ListRunEvents;
import dev.runlane.storage.ReleaseRunLease;
import dev.runlane.storage.RunEventFilter;
import dev.runlane.storage.RunEventRecord;
import dev.runlane.storage.RunEventSort;
import dev.runlane.storage.StorageCapability;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The durable side of one attempt: what this process knows of the run it leases. Everything that is written
 * for the attempt goes through one queue, one command at a time, so that heartbeat and outcome never race
 * each other for the sequence. Touched on the home context only.
 */
final class HeldRun {
  private static final Logger LOG = LoggerFactory.getLogger(HeldRun.class);
  private static final Backoff REREAD =
      Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(2));
  private static final int MOST_TRIES = 100;

  private final RuntimeContext context;
  private final Lease claimed;
  private final int attempt;
  private final Listener listener;
  private RunRecord run;
  private Instant leaseEnd;
  private Duration heartbeatDue;
  private Future<?> tail = Future.succeededFuture(); // the last command's end, never failed
  private boolean heartbeatPending;
  private boolean ending; // an outcome is on its way: no heartbeat any more
  private boolean lost;

  HeldRun(RuntimeContext context, RunRecord run, Lease claimed, Listener listener) {
    this.context = context;
    this.run = run;
    this.claimed = claimed;
    this.listener = listener;
    attempt = run.counters().attempts();
    leaseEnd = claimed.expiresAt();
    // The first comes somewhere in the second half of the interval, which spreads what was claimed
    // at once.
    heartbeatDue = now()
        .plus(interval().multipliedBy(50 + context.randomness().nextInt(50)).dividedBy(100));
  }

  /** The run as this process knows it. */
  RunRecord run() {
    return run;
  }

  String id() {
    return run.id();
  }

  /** Extends the lease if its time has come. What becomes of it is told to the listener. */
  void heartbeatIfDue() {
    if (!ending && !lost && !heartbeatPending && now().compareTo(heartbeatDue) >= 0) {
      heartbeatPending = true;
      inTurn(this::heartbeat).onComplete(done -> heartbeatPending = false);
    }
  }

  /** Reads the run again, because somebody may have asked it to cancel. */
  void refresh() {
    if (!ending && !lost) {
      inTurn(() ->
          context.storage().getRun(new GetRun(run.environment(), run.id())).map(this::adopt));
    }
  }

  /** Takes what somebody in this process has stored, unless it is older than what is known, or not owned. */
  void changed(AppendedRun stored) {
    if (!ending && !lost && isOwn(stored.run())) {
      inTurn(() -> Future.succeededFuture(adopt(stored)));
    }
  }

  /**
   * Writes the outcome after what is in flight; a heartbeat that only waits is dropped. Completes with the
   * run as it is then, or empty when the lease was lost and nothing was written.
   *
   * @param decision the outcome for a state of the run, asked again after each lost race
   */
  Future<Optional<RunRecord>> end(Function<RunRecord, List<RunEvent>> decision) {
    ending = true;
    return inTurn(() -> write(decision, 1).compose(written -> releaseLease().map(written)));
  }

  /**
   * Writes an outcome that is only right while nothing has happened to the run, after what is in flight.
   * Completes as {@link #end}; with the run still leased where the decision was to go on instead.
   *
   * @param decision the outcome for a state of the run, asked again after each lost race; no event: the attempt
   *     goes on
   */
  Future<Optional<RunRecord>> suspend(Function<RunRecord, List<RunEvent>> decision) {
    ending = true;
    return inTurn(() -> write(decision, 1)
            .compose(
                written -> ending ? releaseLease().map(written) : Future.succeededFuture(written)))
        .onFailure(failure -> ending = false);
  }

  /**
   * Writes what belongs to the attempt while it goes on, after what is in flight. Completes with the events as
   * they are stored and the run after them, or after what else has happened since; fails when the lease was lost and nothing was written.
   *
   * @param decision the events for a state of the run, asked again after each lost race; they keep the lease
   */
  Future<Written> append(Function<RunRecord, List<RunEvent>> decision) {
    Sent sent = new Sent(decision);
    return inTurn(() -> write(sent::events, 1))
        .compose(written -> written.isPresent()
            ? Future.succeededFuture(new Written(sent.last, written.get().eventSequence()))
            : Future.failedFuture(RunlaneException.conflict(
                StorageConflictKind.LEASE_OWNERSHIP, "run %s is not leased here any more", id())));
  }

  /** Lets the run go without an outcome: its lease ends by itself. */
  void abandon() {
    lost = true;
  }

  private Future<Void> heartbeat() {
    if (ending || lost) {
      return Future.succeededFuture();
    }
    heartbeatDue = now().plus(interval());
    Instant now = context.clock().now();
    Lease longer = claimed.until(now.plus(context.options().getLeaseDuration()));
    EventHeader header = context.appends().header(run);
    RunEvent.LeaseHeartbeat event = new RunEvent.LeaseHeartbeat(header, longer);
    RunRecord projected = RunAppends.project(run, List.of(event));
    return context
        .storage()
        .heartbeatRunLease(new HeartbeatRunLease(
            run.environment(), run.id(), run.eventSequence(), event, projected, now))
        .map(extended -> {
          run = extended.run();
          leaseEnd = longer.expiresAt();
          return (Void) null;
        })
        .recover(this::heartbeatFailed);
  }

  private Future<Void> heartbeatFailed(Throwable failure) {
    if (isConflict(failure, StorageConflictKind.LEASE_OWNERSHIP)) {
      lose();
      return Future.succeededFuture();
    }
    if (isConflict(failure, StorageConflictKind.EVENT_SEQUENCE)) {
      heartbeatDue = now(); // again, with what is read now
      return context
          .storage()
          .getRun(new GetRun(run.environment(), run.id()))
          .map(this::adopt)
          .recover(this::notExtended);
    }
    return notExtended(failure);
  }

  private Future<Void> notExtended(Throwable failure) {
    LOG.warn("the heartbeat of run {} failed; its lease lasts until {}", id(), leaseEnd, failure);
    heartbeatDue = now().plus(interval().dividedBy(4));
    if (!leaseEnd.isAfter(context.clock().now())) {
      lose();
    }
    return Future.succeededFuture();
  }

  private Void adopt(Optional<RunRecord> read) {
    if (read.isEmpty() || !isOwn(read.get())) {
      lose();
    } else if (read.get().eventSequence() > run.eventSequence()) {
      run = read.get();
      listener.changed(run, List.of());
    }
    return null;
  }

  /** What follows at once what is known need not be read. */
  private Void adopt(AppendedRun stored) {
    long before = stored.run().eventSequence() - stored.events().size();
    if (before != run.eventSequence()) {
      return adopt(Optional.of(stored.run()));
    }
    run = stored.run();
    listener.changed(run, stored.events().stream().map(RunEventRecord::event).toList());
    return null;
  }

  private Future<Optional<RunRecord>> write(
      Function<RunRecord, List<RunEvent>> decision, int tries) {
    if (lost) {
      return Future.succeededFuture(Optional.empty());
    }
    List<RunEvent> events = decision.apply(run);
    if (events.isEmpty()) {
      ending = false;
      return Future.succeededFuture(Optional.of(run));
    }
    return context
        .appends()
        .append(run, events)
        .map(appended -> {
          run = appended.run();
          return Optional.of(run);
        })
        .recover(failure -> {
          if (tries >= MOST_TRIES) {
            return Future.failedFuture(failure);
          }
          if (isConflict(failure, StorageConflictKind.EVENT_SEQUENCE)) {
            return readAgain(decision, events, tries);
          }
          return isOutage(failure)
              ? pause(tries, failure).compose(again -> readAgain(decision, events, tries))
              : Future.failedFuture(failure);
        });
  }

  /** What is stored decides: the own events mean success, an own lease another try, else the lease is lost. */
  private Future<Optional<RunRecord>> readAgain(
      Function<RunRecord, List<RunEvent>> decision, List<RunEvent> sent, int tries) {
    RunRecord before = run;
    return context
        .storage()
        .getRun(new GetRun(before.environment(), before.id()))
        .compose(read -> {
          boolean own = read.isPresent() && isOwn(read.get());
          if (own && RunAppends.project(before, sent).lease() == null) {
            return writeAgain(decision, read.get(), tries); // an outcome would have ended the lease
          }
          return holdsOwn(sent, before, read).compose(written -> {
            if (own) {
              return written ? adopted(read.get()) : writeAgain(decision, read.get(), tries);
            }
            if (!written) {
              lose();
            }
            return Future.succeededFuture(written ? read : Optional.<RunRecord>empty());
          });
        })
        .recover(failure -> isOutage(failure) && tries < MOST_TRIES
            ? pause(tries, failure).compose(again -> readAgain(decision, sent, tries + 1))
            : Future.failedFuture(failure));
  }

  private Future<Optional<RunRecord>> writeAgain(
      Function<RunRecord, List<RunEvent>> decision, RunRecord read, int tries) {
    return adopted(read).compose(adopted -> write(decision, tries + 1));
  }

  private Future<Optional<RunRecord>> adopted(RunRecord read) {
    run = read;
    listener.changed(run, List.of());
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
    return context
        .storage()
        .listRunEvents(new ListRunEvents(
            before.environment(),
            new RunEventFilter(
                before.id(), Set.of(first.type()), first.header().occurredAt(), null),
            RunEventSort.HISTORY,
            null,
            null))
        .map(page -> page.data().stream()
            .filter(row -> row.sequence() == before.eventSequence() + 1)
            .map(RunEventRecord::event)
            .anyMatch(first::equals));
  }

  /** Waits, unless the lease ran out: then somebody else may be at work, and the attempt is given up. */
  private Future<Void> pause(int tries, Throwable failure) {
    if (!leaseEnd.isAfter(context.clock().now())) {
      lose();
      return Future.failedFuture(failure);
    }
    LOG.warn("an event of run {} could not be stored, trying again", id(), failure);
    return context.timers().after(REREAD.delay(tries, context.randomness()));
  }

  /** Nothing is left to release where the outcome itself clears the lease; a failure changes nothing. */
  private Future<Void> releaseLease() {
    if (lost) {
      return Future.succeededFuture();
    }
    return context
        .storage()
        .releaseRunLease(
            new ReleaseRunLease(run.environment(), run.id(), claimed.token(), claimed.workerId()))
        .recover(failure -> {
          LOG.warn("the lease of run {} was not released and will expire", id(), failure);
          return Future.succeededFuture();
        });
  }

  private void lose() {
    if (!lost) {
      lost = true;
      listener.leaseLost();
    }
  }

  private boolean isOwn(RunRecord read) {
    return read.isLeasedWith(claimed.token()) && read.counters().attempts() == attempt;
  }

  private <T> Future<T> inTurn(Supplier<Future<T>> command) {
    Future<T> next = tail.transform(before -> command.get());
    tail = next.transform(done -> {
      if (done.failed() && !ending) {
        LOG.warn("run {} could not be kept up to date", id(), done.cause());
      }
      return Future.succeededFuture();
    });
    return next;
  }

  private Duration interval() {
    return context.options().getLeaseDuration().dividedBy(3);
  }

  private Duration now() {
    return context.timers().elapsed();
  }

  private static boolean isConflict(Throwable failure, StorageConflictKind kind) {
    return failure instanceof RunlaneException conflict && conflict.isConflict(kind);
  }

  private static boolean isOutage(Throwable failure) {
    return failure instanceof RunlaneException outage
        && outage.code() == ErrorCode.STORAGE_UNAVAILABLE;
  }

  /** A decision, and the events it made last. */
  private static final class Sent {
    private final Function<RunRecord, List<RunEvent>> decision;
    private List<RunEvent> last = List.of();

    Sent(Function<RunRecord, List<RunEvent>> decision) {
      this.decision = decision;
    }

    List<RunEvent> events(RunRecord run) {
      last = decision.apply(run);
      return last;
    }
  }

  /**
   * What was written while the attempt goes on.
   *
   * @param events the events as they are stored
   * @param sequence the run's after them, or a later one
   */
  record Written(List<RunEvent> events, long sequence) {}

  /** Is told on the home context what became of the run. */
  interface Listener {
    /**
     * Somebody wrote to the run, for example a cancellation request.
     *
     * @param news all that was written since what was known before; empty: that is to be read
     */
    void changed(RunRecord run, List<RunEvent> news);

    /** The run is, or may be, somebody else's: nothing will be written. Told once. */
    void leaseLost();
  }
}
