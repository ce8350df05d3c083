package dev.runlane.postgres;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Gathers concurrent commands of one kind and sends them together. A statement goes out as soon as a slot is free, so
 * an idle system waits for nothing and a busy one fills its statements. Only beside many commands a few wait for more:
 * less than half of those of their kind that are under way, 5 ms at most, or less than half of those that were answered
 * last, 1 ms at most.
 * Callers who each wait for an answer before the next command come back one after the other, and would else be served
 * by several statements of a few commands each.
 *
 * <pre>
 *   submit ─► pending ─► slot free? ─► up to {@code maxCommands}, no key twice ─► one statement
 *                                       │ rolled back: halves, until the guilty command stands alone;
 *                                       │ kept from its rows by others: again after a pause, alone
 *                                       └ answered: each command its own outcome
 * </pre>
 *
 * <p>{@link #submit} may be called on any context; its future completes on the caller's, in one turn with those of all
 * that this context has in one statement. Callers outside of any context share one.
 *
 * @param <C> the command
 * @param <R> the result of one
 */
public final class CommandBatcher<C, R> {
  /**
   * How long a few commands wait for more beside a statement that is under way, which others may keep from its rows.
   */
  private static final Duration BESIDE = Duration.ofMillis(5);

  /** How long a few commands wait for more callers who have just had their answers. */
  private static final Duration AFTER = Duration.ofMillis(1);

  /** From so many commands on others are expected to come beside a few. */
  private static final int MANY = 8;

  private final Context outside; // of those who call outside of any
  private final StatementSlots slots;
  private final String operation;
  private final BatchStatement<C, R> statement;
  private final BatchLimits bounds;
  private final Timers timers;
  private final Queue<Pending<C, R>> submitted = new ConcurrentLinkedQueue<>(); // by any context
  private final AtomicBoolean arrivalAnnounced = new AtomicBoolean();
  private final Deque<Pending<C, R>> pending = new ArrayDeque<>();
  private final Set<String> busyKeys = new HashSet<>();
  private int queuedFlushes;
  private int underWay; // commands in statements
  private int expected; // as many were answered last, whose callers may come back
  private Timers.@Nullable Timer patience; // ends the wait for more commands
  private boolean afterAnswers; // what that waits for
  private int pausing;
  private long waitingBytes; // of what is pending or pausing
  private boolean watching;

  /**
   * @param vertx for contexts
   * @param slots shared with the other gatherers of the process
   * @param operation the name failures mention
   * @param statement what is sent
   * @param bounds what bounds it
   */
  public CommandBatcher(
      Vertx vertx,
      StatementSlots slots,
      String operation,
      BatchStatement<C, R> statement,
      BatchLimits bounds) {
    this.outside = StatementSlots.contextOf(vertx);
    this.slots = slots;
    this.operation = operation;
    this.statement = statement;
    this.bounds = bounds;
    this.timers = slots.timers();
    slots.add(this);
  }

  /**
   * Has the command sent with others. Fails as the command itself would alone; with a retryable {@code
   * StorageUnavailable} when too much waits already, when the database is gone or has answered nothing for too long,
   * or when other transactions kept the command from its rows for too long; with {@code OperationCancelled} once the
   * slots are closed.
   */
  public Future<R> submit(C command) {
    return submit(command, ContentionRetry.LONGEST);
  }

  /**
   * The same for a caller who is not to wait for long for a command that others keep from its rows, because others'
   * outcomes wait with him, and who sends it again himself.
   *
   * @param patience for how long it is sent again while others keep it from its rows, counted from the first time
   */
  public Future<R> submit(C command, Duration patience) {
    Promise<R> promise = Promise.promise();
    add(command, patience, new OneCaller<>(caller(), promise));
    announceArrival();
    return promise.future();
  }

  /**
   * Has the commands sent with others; outcome <i>i</i> belongs to command <i>i</i>, and is what {@link #submit} would
   * complete or fail with. Never fails.
   */
  public Future<List<CommandOutcome<R>>> submitAll(List<C> commands) {
    if (commands.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    Call<R> call = new Call<>(caller(), commands.size());
    for (int index = 0; index < commands.size(); index++) {
      add(commands.get(index), ContentionRetry.LONGEST, new OneOfCall<>(call, index));
    }
    announceArrival();
    return call.promise.future();
  }

  private Context caller() {
    Context current = Vertx.currentContext();
    return current != null ? current : outside;
  }

  private void add(C command, Duration patience, Asker<R> asker) {
    submitted.add(new Pending<>(
        command,
        statement.keys(command),
        statement.bytes(command),
        patience,
        asker,
        timers.elapsed()));
  }

  private void announceArrival() {
    if (arrivalAnnounced.compareAndSet(false, true)) {
      slots.context().runOnContext(turn -> {
        takeSubmitted();
        requestFlush();
      });
    }
  }

  /** Takes what callers on any context have submitted by now, also while a flush was on its way. */
  private void takeSubmitted() {
    arrivalAnnounced.set(false);
    for (Pending<C, R> entry = submitted.poll(); entry != null; entry = submitted.poll()) {
      enqueue(entry);
    }
  }

  private void enqueue(Pending<C, R> entry) {
    if (slots.isClosed()) {
      entry.fail(closed());
      return;
    }
    int waiting = pending.size() + pausing;
    boolean full = waiting >= bounds.maxPending()
        || (waiting > 0 && waitingBytes + entry.bytes > bounds.maxPendingBytes());
    if (full) {
      entry.fail(unavailable("%d commands of %d bytes are waiting already", waiting, waitingBytes));
      return;
    }
    pending.add(entry);
    waitingBytes += entry.bytes;
    watch();
  }

  private RunlaneException unavailable(String format, Object... args) {
    return RunlaneException.unavailable(
        ErrorCode.STORAGE_UNAVAILABLE,
        null,
        "%s: %s",
        operation,
        String.format(Locale.ROOT, format, args));
  }

  private RunlaneException closed() {
    return RunlaneException.of(
        ErrorCode.OPERATION_CANCELLED, "%s: the storage is closed", operation);
  }

  /** As long as something waits, sees to it that it does not wait for a database that is silent. */
  private void watch() {
    if (!watching && !pending.isEmpty()) {
      watching = true;
      timers.schedule(
          bounds.answerTimeout().get().dividedBy(4), () -> slots.context().runOnContext(turn -> {
            watching = false;
            failOverdue();
            watch();
          }));
    }
  }

  /** A busy database lets commands wait, but answers others meanwhile; a silent one answers none. */
  private void failOverdue() {
    Duration longest = bounds.answerTimeout().get();
    if (slots.answerTimeout().compareTo(longest) < 0) {
      return;
    }
    Duration latest = timers.elapsed().minus(longest);
    removeWaiting(
        entry -> entry.submitted.compareTo(latest) <= 0,
        unavailable("the database has answered nothing for %s", longest));
  }

  /** What no turn has taken yet fails when its own turn comes. On the slots' context. */
  void close() {
    removeWaiting(entry -> true, closed());
  }

  private void removeWaiting(Predicate<Pending<C, R>> which, RunlaneException failure) {
    pending.removeIf(entry -> {
      if (!which.test(entry)) {
        return false;
      }
      waitingBytes -= entry.bytes;
      entry.fail(failure);
      return true;
    });
  }

  private void requestFlush() {
    boolean more = pending.size() > (long) queuedFlushes * bounds.maxCommands();
    if (!more || queuedFlushes >= slots.size()) {
      return;
    }
    int others = Math.max(underWay, expected);
    if (others >= MANY && 2L * pending.size() < others) {
      waitForMore();
    } else {
      queueFlush();
    }
  }

  private void queueFlush() {
    endWait();
    queuedFlushes++;
    Duration asked = slots.isObserved() ? timers.elapsed() : Duration.ZERO;
    slots.acquire(() -> flush(asked));
  }

  private void waitForMore() {
    boolean nothingUnderWay = underWay == 0;
    if (patience != null && (afterAnswers || !nothingUnderWay)) {
      return;
    }
    endWait();
    afterAnswers = nothingUnderWay;
    patience = timers.schedule(
        nothingUnderWay ? AFTER : BESIDE,
        () -> slots.context().runOnContext(turn -> waitedEnough()));
  }

  /** What has come until now goes out, however little it is. */
  private void waitedEnough() {
    patience = null;
    expected = 0;
    if (!pending.isEmpty() && queuedFlushes == 0) {
      queueFlush();
    }
  }

  private void endWait() {
    if (patience != null) {
      patience.cancel();
      patience = null;
    }
  }

  private void flush(Duration asked) {
    queuedFlushes--;
    takeSubmitted();
    List<Pending<C, R>> batch = takeBatch();
    if (batch.isEmpty()) {
      slots.release();
      return;
    }
    slots.slotTaken(operation, asked);
    sendInSlot(batch);
    requestFlush();
  }

  private void sendInSlot(List<Pending<C, R>> batch) {
    underWay += batch.size();
    send(batch).onComplete(ended -> {
      underWay -= batch.size();
      expected = batch.size();
      slots.release();
      requestFlush();
    });
  }

  private List<Pending<C, R>> takeBatch() {
    List<Pending<C, R>> batch = new ArrayList<>();
    Set<String> passedOver = new HashSet<>();
    Iterator<Pending<C, R>> entries = pending.iterator();
    long bytes = 0;
    while (entries.hasNext() && batch.size() < bounds.maxCommands()) {
      Pending<C, R> entry = entries.next();
      if (entry.keys.stream().anyMatch(key -> busyKeys.contains(key) || passedOver.contains(key))) {
        passedOver.addAll(entry.keys);
        continue;
      }
      bytes += entry.bytes;
      if (!batch.isEmpty() && bytes > BatchLimits.MOST_BYTES_OF_A_STATEMENT) {
        break;
      }
      busyKeys.addAll(entry.keys);
      batch.add(entry);
      waitingBytes -= entry.bytes;
      entries.remove();
    }
    return batch;
  }

  private Future<Void> send(List<Pending<C, R>> batch) {
    List<C> commands = batch.stream().map(entry -> entry.command).toList();
    Duration sent = slots.isObserved() ? timers.elapsed() : Duration.ZERO;
    return withinLongest(
            Future.<Void>succeededFuture().compose(start -> statement.execute(commands)))
        .map(outcomes -> answered(commands, outcomes))
        .transform((outcomes, failure) -> {
          slots.statementEnded(operation, commands.size(), sent, failure);
          if (failure != null) {
            return sendAgain(batch, failure);
          }
          slots.hasAnswered();
          Answers answers = new Answers();
          for (int index = 0; index < batch.size(); index++) {
            batch.get(index).asker.answer(outcomes.get(index), answers);
          }
          answers.deliver();
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

  /**
   * The connections' own deadlines end a statement long before: one for the wait for a connection, one for each of the
   * few statements that a batch may be. This is for pools that have none.
   */
  private <T> Future<T> withinLongest(Future<T> answer) {
    Duration longest = bounds.answerTimeout().get().multipliedBy(4);
    Promise<T> bounded = Promise.promise();
    Timers.Timer timer = timers.schedule(longest, () -> slots
        .context()
        .runOnContext(
            turn -> bounded.tryFail(new TimeoutException("no answer within " + longest))));
    answer.onComplete(ended -> {
      timer.cancel();
      if (ended.succeeded()) {
        bounded.tryComplete(ended.result());
      } else {
        bounded.tryFail(ended.cause());
      }
    });
    return bounded.future();
  }

  private Future<Void> sendAgain(List<Pending<C, R>> batch, Throwable failure) {
    boolean again = statement.failures().mayBeSentAgain(failure);
    boolean rolledBack = statement.failures().isRolledBack(failure);
    if (again || rolledBack) {
      slots.hasAnswered();
    }
    boolean worthwhile = again ? isWithinContention(batch) : rolledBack;
    if (batch.size() > 1 && worthwhile) {
      int middle = batch.size() / 2;
      return send(batch.subList(0, middle))
          .compose(first -> send(batch.subList(middle, batch.size())));
    }
    if (again && worthwhile && !slots.isClosed()) {
      sendLater(batch.get(0));
      return Future.succeededFuture();
    }
    RunlaneException ours = statement.failures().of(operation, failure);
    batch.forEach(entry -> entry.fail(ours));
    free(batch);
    return Future.succeededFuture();
  }

  /** Whether others have kept none of these from its rows for longer than is waited for that; asks each of them. */
  private boolean isWithinContention(List<Pending<C, R>> batch) {
    Duration now = timers.elapsed();
    long patient = batch.stream()
        .filter(entry -> now.minus(entry.contended(now)).compareTo(entry.patience) < 0)
        .count();
    return patient == batch.size();
  }

  /**
   * Sends a command again after a pause, alone and without a slot meanwhile: whoever keeps it from its rows
   * must not keep the others from theirs. Its keys stay busy, so what came after it stays after it.
   */
  private void sendLater(Pending<C, R> entry) {
    pausing++;
    waitingBytes += entry.bytes;
    timers.schedule(ContentionRetry.pause(entry.pauses++), () -> slots
        .context()
        .runOnContext(turn -> slots.acquire(() -> {
          pausing--;
          waitingBytes -= entry.bytes;
          sendInSlot(List.of(entry));
        })));
  }

  private void free(List<Pending<C, R>> ended) {
    ended.forEach(entry -> busyKeys.removeAll(entry.keys));
  }

  /** A command until it has its outcome. */
  private static final class Pending<C, R> {
    private final C command;
    private final List<String> keys;
    private final long bytes;
    private final Duration patience;
    private final Asker<R> asker;
    private final Duration submitted;
    private @Nullable Duration contendedSince;
    private int pauses = 1;

    Pending(
        C command,
        List<String> keys,
        long bytes,
        Duration patience,
        Asker<R> asker,
        Duration submitted) {
      this.command = command;
      this.keys = keys;
      this.bytes = bytes;
      this.patience = patience;
      this.asker = asker;
      this.submitted = submitted;
    }

    /** Since when others keep it from its rows: now, if it is the first time. */
    Duration contended(Duration now) {
      Duration since = contendedSince == null ? now : contendedSince;
      contendedSince = since;
      return since;
    }

    void fail(RunlaneException failure) {
      Answers answers = new Answers();
      asker.answer(new CommandOutcome.Failed<>(failure), answers);
      answers.deliver();
    }
  }

  /** Who waits for the outcome of a command. */
  private interface Asker<R> {
    /** Called on the slots' context, once. */
    void answer(CommandOutcome<R> outcome, Answers answers);
  }

  private record OneCaller<R>(Context context, Promise<R> promise) implements Asker<R> {
    @Override
    public void answer(CommandOutcome<R> outcome, Answers answers) {
      answers.add(context, () -> {
        if (outcome instanceof CommandOutcome.Succeeded<R> succeeded) {
          promise.complete(succeeded.result());
        } else if (outcome instanceof CommandOutcome.Failed<R> failed) {
          promise.fail(failed.failure());
        }
      });
    }
  }

  /** Many commands of one caller, who is notified once all have their outcomes. */
  private static final class Call<R> {
    private final Context context;
    private final Promise<List<CommandOutcome<R>>> promise = Promise.promise();
    private final List<@Nullable CommandOutcome<R>> outcomes;
    private int open;

    Call(Context context, int size) {
      this.context = context;
      outcomes = new ArrayList<>(Collections.nCopies(size, null));
      open = size;
    }
  }

  private record OneOfCall<R>(Call<R> call, int index) implements Asker<R> {
    @Override
    public void answer(CommandOutcome<R> outcome, Answers answers) {
      call.outcomes.set(index, outcome);
      call.open--;
      if (call.open == 0) {
        List<CommandOutcome<R>> all = new ArrayList<>(call.outcomes.size());
        call.outcomes.forEach(each -> all.add(Objects.requireNonNull(each)));
        answers.add(call.context, () -> call.promise.complete(all));
      }
    }
  }

  /** Outcomes on their way to callers: one turn for each context. */
  private static final class Answers {
    private final IdentityHashMap<Context, List<Runnable>> byContext = new IdentityHashMap<>();

    void add(Context context, Runnable answer) {
      byContext.computeIfAbsent(context, first -> new ArrayList<>()).add(answer);
    }

    void deliver() {
      byContext.forEach((context, answers) -> {
        try {
          deliver(context, answers.iterator());
        } catch (RejectedExecutionException gone) {
          answers
              .clear(); // their verticle was undeployed with its threads: nobody is there to hear
        }
      });
    }

    /** A caller who throws keeps nothing from the others. */
    private static void deliver(Context context, Iterator<Runnable> answers) {
      context.runOnContext(turn -> {
        try {
          while (answers.hasNext()) {
            answers.next().run();
          }
        } finally {
          if (answers.hasNext()) {
            deliver(context, answers);
          }
        }
      });
    }
  }
}
