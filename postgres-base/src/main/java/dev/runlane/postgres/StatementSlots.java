package dev.runlane.postgres;

import dev.runlane.storage.StatementObserver;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The few statements of gathered commands that one process has under way at a time. A gatherer that finds
 * no slot free waits in line, and meanwhile gathers more. Touched on one context only.
 */
public final class StatementSlots {
  /** Statements under way at a time = {@value}. */
  public static final int DEFAULT_SLOTS = 2;

  private static final Logger LOG = LoggerFactory.getLogger(StatementSlots.class);

  private final Context context;
  private final Timers timers;
  private final Queue<WeakReference<CommandBatcher<?, ?>>> gatherers =
      new ConcurrentLinkedQueue<>(); // one that has something to do is held by its timer too
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private final StatementObserver observer;
  private final FailureLog observerFailures;
  private final int size;
  private int free;
  private Duration answered;
  private volatile boolean closed;

  /** Slots whose users all live on {@code context}. */
  public StatementSlots(Context context, int slots) {
    this(context, slots, StatementObserver.NONE);
  }

  /** The same, whose statements somebody is notified of. */
  public StatementSlots(Context context, int slots, StatementObserver observer) {
    this(context, slots, Timers.of(context.owner()), observer);
  }

  /**
   * A context for what serves a whole process: the caller's, where that is on an event loop and of no verticle, with
   * which its timers would end; else a new one, on the event loop of a caller that has one. A verticle that makes an
   * adapter may be on workers or virtual threads, and everybody's statements would wait behind its blocking calls.
   */
  public static Context contextOf(Vertx vertx) {
    ContextInternal caller = ((VertxInternal) vertx).getOrCreateContext().unwrap();
    if (!caller.isEventLoopContext()) {
      return caller.owner().createEventLoopContext();
    }
    return caller.isDeployment()
        ? caller.owner().contextBuilder().withEventLoop(caller.nettyEventLoop()).build()
        : caller;
  }

  StatementSlots(Context context, int slots, Timers timers) {
    this(context, slots, timers, StatementObserver.NONE);
  }

  StatementSlots(Context context, int slots, Timers timers, StatementObserver observer) {
    this.observer = observer;
    observerFailures = new FailureLog(LOG, "an observer of statements", timers);
    this.context = context;
    this.timers = timers;
    this.size = slots;
    this.free = slots;
    this.answered = timers.elapsed();
  }

  /**
   * Ends all gathering: what waits, and what is submitted from now on, fails as closed. What is under way ends by
   * itself.
   */
  public void close() {
    closed = true;
    context.runOnContext(turn -> gatherers.forEach(each -> {
      CommandBatcher<?, ?> gatherer = each.get();
      if (gatherer != null) {
        gatherer.close();
      }
    }));
  }

  boolean isClosed() {
    return closed;
  }

  /** Closes {@code gatherer} with these slots, unless nobody uses it any more by then. */
  void add(CommandBatcher<?, ?> gatherer) {
    gatherers.removeIf(each -> each.get() == null);
    gatherers.add(new WeakReference<>(gatherer));
  }

  Timers timers() {
    return timers;
  }

  /** The database has answered a statement, whatever it said. */
  void hasAnswered() {
    answered = timers.elapsed();
  }

  /** For how long the database has answered nothing. */
  Duration answerTimeout() {
    return timers.elapsed().minus(answered);
  }

  int size() {
    return size;
  }

  Context context() {
    return context;
  }

  /** Whether somebody wants to know how long things take. */
  boolean isObserved() {
    return observer != StatementObserver.NONE;
  }

  /** Reports a statement that may be sent, and was requested at {@code asked}. */
  void slotTaken(String operation, Duration asked) {
    if (isObserved()) {
      tell(() -> observer.slotTaken(operation, timers.elapsed().minus(asked)));
    }
  }

  /** Reports a statement that was sent at {@code sent}. */
  void statementEnded(String operation, int commands, Duration sent, @Nullable Throwable failure) {
    if (isObserved()) {
      tell(() ->
          observer.statementEnded(operation, commands, timers.elapsed().minus(sent), failure));
    }
  }

  private void tell(Runnable fact) {
    try {
      fact.run();
    } catch (Throwable thrown) { // whatever it is, commands are to be answered
      observerFailures.failed(thrown, "it missed what it was told");
    }
  }

  /** Calls {@code flush} in a later turn, once a slot is free; it must end in {@link #release()}. */
  void acquire(Runnable flush) {
    if (free > 0) {
      free--;
      context.runOnContext(turn -> flush.run());
    } else {
      waiting.add(flush);
    }
  }

  void release() {
    Runnable next = waiting.poll();
    if (next == null) {
      free++;
    } else {
      context.runOnContext(turn -> next.run());
    }
  }
}
