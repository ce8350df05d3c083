package dev.runlane.storage.pg.notify;

import dev.runlane.run.Environment;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Timers;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakeups of runs that this process has created and whose outbox messages were never written. They are sent after the
 * commit, as a statement of its own: NOTIFY takes a lock that only one committing transaction of the whole server has
 * at a time, and one that writes nothing else gives it back without waiting for the disk. One statement is under way at
 * a time; of what comes meanwhile the next one tells each queue once, by its latest run. While runs come faster than
 * statements, the next one waits a moment for more of them: a transaction for each would cost creations more than the
 * listeners, who look for all that is due, could gain.
 *
 * <p>{@link #created} is for any thread; everything else happens on one context.
 */
public final class CreationWakeups {
  private static final Logger LOG = LoggerFactory.getLogger(CreationWakeups.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** From the end of a statement that told of several runs until the next: what a wakeup may be late by. */
  private static final Duration GATHER = Duration.ofMillis(2);

  private final PgSession session;
  private final Context context;
  private final Timers timers;
  private final String schema;
  private final FailureLog failures;
  private final List<Promise<Void>> idle = new ArrayList<>(); // told when nothing is on its way
  private final Map<Environment, String> channels = new HashMap<>(); // a name is a hash
  private Map<Target, DeliveryMessage> waiting = new LinkedHashMap<>();
  private boolean underWay;
  private int runsWaiting;
  private boolean pausing; // after a failure
  private boolean gathering; // after a statement that told of several runs
  private boolean closed;

  /** Sends nothing yet. */
  public CreationWakeups(PgSession session, Context context, Timers timers, String schema) {
    this.session = session;
    this.context = context;
    this.timers = timers;
    this.schema = schema;
    failures = new FailureLog(LOG, "NOTIFY of runs that were created", timers);
  }

  /** These runs exist and are due; all are of one environment. */
  public void created(List<DeliveryMessage> runs) {
    context.runOnContext(turn -> {
      runs.forEach(this::add);
      sendNext();
    });
  }

  /** Completes when nothing is on its way any more, or what is could not be sent just now. */
  public Future<Void> sent() {
    Promise<Void> sent = Promise.promise();
    context.runOnContext(turn -> {
      idle.add(sent);
      completeIfIdle();
    });
    return sent.future();
  }

  /** Sends nothing any more. */
  public void close() {
    context.runOnContext(turn -> {
      closed = true;
      waiting.clear();
      runsWaiting = 0;
      completeIfIdle();
    });
  }

  private void add(DeliveryMessage run) {
    String channel = channels.computeIfAbsent(
        run.environment(), environment -> NotifyChannel.wakeups(schema, environment));
    Target target = new Target(channel, run.queue());
    waiting.merge(target, run, CreationWakeups::later);
    runsWaiting++;
  }

  private static DeliveryMessage later(DeliveryMessage one, DeliveryMessage other) {
    return one.requestedAt().isAfter(other.requestedAt()) ? one : other;
  }

  private void sendNext() {
    if (underWay || pausing || gathering || closed || waiting.isEmpty()) {
      return;
    }
    boolean several = runsWaiting > 1;
    runsWaiting = 0;
    Map<Target, DeliveryMessage> now = waiting;
    waiting = new LinkedHashMap<>();
    underWay = true;
    Map<String, List<DeliveryMessage>> byChannel = new LinkedHashMap<>();
    now.forEach((target, run) -> byChannel
        .computeIfAbsent(target.channel(), channel -> new ArrayList<>())
        .add(run));
    Future.<Void>succeededFuture()
        .compose(start -> Notifications.send(session, byChannel))
        .onComplete(ended -> context.runOnContext(turn -> {
          underWay = false;
          if (ended.succeeded()) {
            failures.succeeded();
            if (several) {
              gather();
            }
          } else if (!closed) {
            failures.failed(ended.cause(), PAUSE);
            now.values().forEach(this::add);
            pausing = true;
            timers.schedule(
                PAUSE,
                () -> context.runOnContext(over -> {
                  pausing = false;
                  sendNext();
                }));
          }
          sendNext();
          completeIfIdle();
        }));
  }

  private void gather() {
    gathering = true;
    timers.schedule(
        GATHER,
        () -> context.runOnContext(over -> {
          gathering = false;
          sendNext();
        }));
  }

  private void completeIfIdle() {
    if (!underWay && (waiting.isEmpty() || pausing || closed)) {
      List<Promise<Void>> told = List.copyOf(idle);
      idle.clear();
      told.forEach(Promise::tryComplete);
    }
  }

  /** Whom one wakeup is for. */
  private record Target(String channel, String queue) {}
}
