package dev.runlane.postgres;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandOutcome;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Gathers concurrent commands of one kind and sends them together. There is no timer: a statement goes
 * out as soon as a slot is free, so an idle system waits for nothing and a busy one fills its statements.
 *
 * <pre>
 *   submit ─► pending ─► slot free? ─► up to {@code mostCommands}, no key twice ─► one statement
 *                                       │ rolled back: halves, until the guilty command stands alone;
 *                                       │ kept from its rows by others: again after a pause, alone
 *                                       └ answered: each command its own outcome
 * </pre>
 *
 * <p>{@link #submit} may be called on any context; its future completes on the caller's.
 *
 * @param <C> the command
 * @param <R> the result of one
 */
public final class Gatherer<C, R> {
  private static final int MOST_TRIES = 40;
  private static final long FIRST_PAUSE_MILLIS = 2;
  private static final long LONGEST_PAUSE_MILLIS = 250;

  private final Vertx vertx;
  private final StatementSlots slots;
  private final String operation;
  private final GatheredStatement<C, R> statement;
  private final int mostCommands;
  private final int mostPending;
  private final Queue<Pending<C, R>> submitted = new ConcurrentLinkedQueue<>(); // by any context
  private final AtomicBoolean arrivalAnnounced = new AtomicBoolean();
  private final Deque<Pending<C, R>> pending = new ArrayDeque<>();
  private final Set<String> busyKeys = new HashSet<>();
  private int queuedFlushes;
  private int pausing;

  /**
   * @param vertx for timers
   * @param slots shared with the other gatherers of the process
   * @param operation the name failures mention
   * @param statement what is sent
   * @param mostCommands most commands in one statement
   * @param mostPending commands that may wait; beyond it {@link #submit} fails
   */
  public Gatherer(
      Vertx vertx,
      StatementSlots slots,
      String operation,
      GatheredStatement<C, R> statement,
      int mostCommands,
      int mostPending) {
    this.vertx = vertx;
    this.slots = slots;
    this.operation = operation;
    this.statement = statement;
    this.mostCommands = mostCommands;
    this.mostPending = mostPending;
  }

  /**
   * Has the command sent with others. Fails as the command itself would alone; with a retryable {@code
   * StorageUnavailable} when too many commands wait already, when the database is gone, or when other
   * transactions kept the command from its rows for too long.
   */
  public Future<R> submit(C command) {
    Context caller = vertx.getOrCreateContext();
    Promise<R> promise = Promise.promise();
    Pending<C, R> entry = new Pending<>(command, statement.keys(command), caller, promise, 1);
    submitted.add(entry);
    if (arrivalAnnounced.compareAndSet(false, true)) {
      slots.context().runOnContext(turn -> {
        takeSubmitted();
        requestFlush();
      });
    }
    return promise.future();
  }

  /** Takes what callers on any context have submitted by now, also while a flush was on its way. */
  private void takeSubmitted() {
    arrivalAnnounced.set(false);
    for (Pending<C, R> entry = submitted.poll(); entry != null; entry = submitted.poll()) {
      enqueue(entry);
    }
  }

  private void enqueue(Pending<C, R> entry) {
    if (pending.size() + pausing >= mostPending) {
      entry.fail(RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          null,
          "%s: %d commands are waiting already",
          operation,
          mostPending));
      return;
    }
    pending.add(entry);
  }

  private void requestFlush() {
    boolean more = pending.size() > (long) queuedFlushes * mostCommands;
    if (more && queuedFlushes < slots.size()) {
      queuedFlushes++;
      slots.acquire(this::flush);
    }
  }

  private void flush() {
    queuedFlushes--;
    takeSubmitted();
    List<Pending<C, R>> batch = takeBatch();
    if (batch.isEmpty()) {
      slots.release();
      return;
    }
    requestFlush();
    sendInSlot(batch);
  }

  private void sendInSlot(List<Pending<C, R>> batch) {
    send(batch).transform((sent, failure) -> {
      slots.release();
      requestFlush();
      return Future.succeededFuture();
    });
  }

  private List<Pending<C, R>> takeBatch() {
    List<Pending<C, R>> batch = new ArrayList<>();
    Set<String> passedOver = new HashSet<>();
    Iterator<Pending<C, R>> entries = pending.iterator();
    while (entries.hasNext() && batch.size() < mostCommands) {
      Pending<C, R> entry = entries.next();
      if (entry.keys().stream()
          .anyMatch(key -> busyKeys.contains(key) || passedOver.contains(key))) {
        passedOver.addAll(entry.keys());
      } else {
        busyKeys.addAll(entry.keys());
        batch.add(entry);
        entries.remove();
      }
    }
    return batch;
  }

  private Future<Void> send(List<Pending<C, R>> batch) {
    List<C> commands = batch.stream().map(Pending::command).toList();
    return Future.<Void>succeededFuture()
        .compose(start -> statement.execute(commands))
        .map(outcomes -> answered(commands, outcomes))
        .transform((outcomes, failure) -> {
          if (failure != null) {
            return sendAgain(batch, failure);
          }
          for (int index = 0; index < batch.size(); index++) {
            batch.get(index).complete(outcomes.get(index));
          }
          free(batch);
          return Future.succeededFuture();
        });
  }

  private List<CommandOutcome<R>> answered(List<C> commands, List<CommandOutcome<R>> outcomes) {
    if (outcomes.size() != commands.size()) {
      throw RunlaneException.adapterContractViolation(
          "%s: %d outcomes for %d commands", operation, outcomes.size(), commands.size());
    }
    return outcomes;
  }

  private Future<Void> sendAgain(List<Pending<C, R>> batch, Throwable failure) {
    boolean again = statement.failures().mayBeSentAgain(failure);
    if (batch.size() > 1 && (again || statement.failures().isRolledBack(failure))) {
      int middle = batch.size() / 2;
      return send(batch.subList(0, middle))
          .compose(first -> send(batch.subList(middle, batch.size())));
    }
    if (again && batch.get(0).tries() < MOST_TRIES) {
      sendLater(batch.get(0));
      return Future.succeededFuture();
    }
    RunlaneException ours = statement.failures().of(operation, failure);
    batch.forEach(entry -> entry.fail(ours));
    free(batch);
    return Future.succeededFuture();
  }

  /**
   * Sends a command again after a pause, alone and without a slot meanwhile: whoever keeps it from its rows
   * must not keep the others from theirs. Its keys stay busy, so what came after it stays after it.
   */
  private void sendLater(Pending<C, R> entry) {
    long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(entry.tries(), 20));
    pausing++;
    vertx.setTimer(pause, fired -> slots
        .context()
        .runOnContext(turn -> slots.acquire(() -> {
          pausing--;
          sendInSlot(List.of(entry.again()));
        })));
  }

  private void free(List<Pending<C, R>> ended) {
    ended.forEach(entry -> busyKeys.removeAll(entry.keys()));
  }

  private record Pending<C, R>(
      C command, List<String> keys, Context caller, Promise<R> promise, int tries) {
    Pending<C, R> again() {
      return new Pending<>(command, keys, caller, promise, tries + 1);
    }

    void complete(CommandOutcome<R> outcome) {
      caller.runOnContext(turn -> {
        if (outcome instanceof CommandOutcome.Succeeded<R> succeeded) {
          promise.complete(succeeded.result());
        } else if (outcome instanceof CommandOutcome.Failed<R> failed) {
          promise.fail(failed.failure());
        }
      });
    }

    void fail(RunlaneException failure) {
      caller.runOnContext(turn -> promise.fail(failure));
    }
  }
}
