package dev.runlane.jobs.postgres.log;

import dev.runlane.adapter.Subscription;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.postgres.row.AdvisoryKey;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonWriter;
import dev.runlane.json.VertxJson;
import dev.runlane.json.record.JobJson;
import dev.runlane.postgres.PgListener;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events of queues. Listeners of this store are called at once; other processes learn of them by NOTIFY, many events
 * in one notification, one statement at a time: what is published meanwhile shares the next.
 *
 * <p>A notification says {@code {"from":…,"events":[…]}}. An event that is too
 * large for one lies in a table for a while, and its notification says {@code {"from":…,"row":…}}.
 */
public final class JobEvents {
  private static final SqlStatement<List<Notification>> NOTIFY = SqlStatement.of(
      "notify",
      new Parameters<List<Notification>>()
          .rows(
              all -> all,
              new Columns<Notification>()
                  .texts("channels", Notification::channel)
                  .texts("payloads", Notification::payload)));
  private static final SqlStatement<LargeEvents> STORE_EVENTS = SqlStatement.of(
      "store_events",
      new Parameters<LargeEvents>()
          .rows(
              LargeEvents::bodies,
              new Columns<Map.Entry<String, String>>()
                  .texts("ids", Map.Entry::getKey)
                  .texts("bodies", Map.Entry::getValue))
          .time("now", LargeEvents::now)
          .time("forgotten_before", events -> events.now().minus(JobEvents.KEPT)));
  private static final SqlStatement<String> READ_EVENT =
      SqlStatement.of("read_event", new Parameters<String>().value("id", id -> id));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(NOTIFY, STORE_EVENTS, READ_EVENT);

  private static final Logger LOG = LoggerFactory.getLogger(JobEvents.class);
  private static final int MOST_BYTES = 7_900; // PostgreSQL takes 8 000
  private static final int FRAME_BYTES = 80;
  private static final JsonLimits AS_READ = // an event is deeper than its data
      new JsonLimits(Integer.MAX_VALUE, Integer.MAX_VALUE);
  private static final int MOST_PENDING = 100_000;
  private static final int MOST_AT_ONCE = 5_000;
  private static final long MOST_CHARACTERS_AT_ONCE = 4 * 1024 * 1024;
  private static final Duration KEPT = Duration.ofMinutes(10);

  private final Context context;
  private final JobSession session;
  private final PgListener listener;
  private final JobStoreOptions options;
  private final Clock clock;
  private final String self;
  private final Map<String, Set<Consumer<StoreEvent>>> listeners = new ConcurrentHashMap<>();
  private final Map<String, Future<Subscription>> channels =
      new ConcurrentHashMap<>(); // guards what changes it and the listeners
  private final Outgoing outgoing = new Outgoing();

  /** @param context what sends: none that ends with somebody who publishes, or events would stop with it */
  public JobEvents(
      Context context,
      JobSession session,
      PgListener listener,
      JobStoreOptions options,
      Clock clock) {
    this.context = context;
    this.session = session;
    this.listener = listener;
    this.options = options;
    this.clock = clock;
    this.self = session.ids().workerId();
  }

  public Future<Void> subscribe(String queue, Consumer<StoreEvent> added) {
    Future<Subscription> channel;
    synchronized (channels) {
      listeners.computeIfAbsent(queue, each -> new CopyOnWriteArraySet<>()).add(added);
      channel = channels.computeIfAbsent(queue, this::listen);
    }
    return channel.<Void>mapEmpty().recover(failure -> {
      channels.remove(queue, channel); // the next one tries again
      return Future.failedFuture(failure);
    });
  }

  /** For all who subscribe to the queue, so not on the context of the first of them, who may block or end. */
  private Future<Subscription> listen(String queue) {
    Promise<Subscription> listening = Promise.promise();
    context.runOnContext(turn ->
        Future.<Void>succeededFuture().compose(begin -> inTurn(queue)).onComplete(listening));
    return listening.future();
  }

  private Future<Subscription> inTurn(String queue) {
    String channel = AdvisoryKey.channel(session.scope(), queue);
    Incoming incoming = new Incoming(queue);
    return listener.listen(
        channel,
        incoming::receive,
        () -> deliver(new StoreEvent(
            StoreEventType.QUEUE_ERROR,
            queue,
            null,
            Json.ofChecked("\"events may have been missed\""),
            clock.now())));
  }

  public Future<Void> unsubscribe(String queue, Consumer<StoreEvent> removed) {
    synchronized (channels) { // or one who subscribes meanwhile is forgotten
      Set<Consumer<StoreEvent>> all = listeners.get(queue);
      if (all != null) {
        all.remove(removed);
      }
      return all == null || all.isEmpty() ? unsubscribe(queue) : Future.succeededFuture();
    }
  }

  public Future<Void> unsubscribe(String queue) {
    Future<Subscription> channel;
    synchronized (channels) {
      listeners.remove(queue);
      channel = channels.remove(queue);
    }
    return channel == null
        ? Future.succeededFuture()
        : channel.transform(
            (open, failure) -> failure == null ? open.close() : Future.succeededFuture());
  }

  public Future<Void> publish(List<StoreEvent> events) {
    events.forEach(this::deliver);
    outgoing.add(events);
    return Future.succeededFuture();
  }

  private void deliver(StoreEvent event) {
    for (Consumer<StoreEvent> each : listeners.getOrDefault(event.queueName(), Set.of())) {
      try {
        each.accept(event);
      } catch (Throwable thrown) {
        report(thrown);
      }
    }
  }

  private void report(Throwable thrown) {
    Consumer<Throwable> handler = options.getOnEventHandlerError();
    if (handler == null) {
      LOG.warn("a listener of job events failed", thrown);
    } else {
      handler.accept(thrown);
    }
  }

  /** Completes when everything published so far has been sent or given up. */
  public Future<Void> flush() {
    return outgoing.idle();
  }

  public void clear() {
    synchronized (channels) {
      listeners.clear();
      channels.clear();
    }
  }

  /** What others say of one queue, in their order: what follows an event that has to be read waits for it. */
  private final class Incoming {
    private final String queue;
    private Future<Void> received = Future.succeededFuture(); // by the listener's context only

    Incoming(String queue) {
      this.queue = queue;
    }

    void receive(String payload) {
      received = received.compose(before -> dispatch(payload)).recover(unreadable -> {
        LOG.warn("queue {}: a notification cannot be read", queue, unreadable);
        return Future.succeededFuture();
      });
    }

    private Future<Void> dispatch(String payload) {
      JsonObject said = VertxJson.read(payload);
      if (self.equals(said.getString("from"))) {
        return Future.succeededFuture();
      }
      String row = said.getString("row");
      if (row == null) {
        said.getJsonArray("events")
            .forEach(event ->
                deliver(JsonCodec.standard().encode("the event", event, AS_READ).text()));
        return Future.succeededFuture();
      }
      return session.execute(READ_EVENT, row).map(rows -> {
        rows.forEach(each -> deliver(each.getString(0)));
        return null;
      });
    }

    private void deliver(String text) {
      try {
        StoreEvent event = JobJson.readEvent(Json.ofChecked(text));
        if (queue.equals(event.queueName())) { // two queues may have one channel
          JobEvents.this.deliver(event);
        }
      } catch (RunlaneException unknown) {
        LOG.debug("queue {}: an event of a later release", queue, unknown);
      }
    }
  }

  /** What waits to be sent. Publishers are any threads, so its state is guarded. */
  private final class Outgoing {
    private final List<StoreEvent> waiting = new ArrayList<>();
    private @Nullable Promise<Void> idle; // null while nothing is on its way

    void add(List<StoreEvent> events) {
      synchronized (this) {
        if (waiting.size() + events.size() > MOST_PENDING) {
          LOG.warn("{} events are waiting already, other processes miss some", waiting.size());
          return;
        }
        waiting.addAll(events);
        if (idle != null) {
          return;
        }
        idle = Promise.promise();
      }
      context.runOnContext(turn -> sendNext());
    }

    synchronized Future<Void> idle() {
      return idle == null ? Future.succeededFuture() : idle.future();
    }

    private void sendNext() {
      List<StoreEvent> events = next();
      if (!events.isEmpty()) {
        Future.<Void>succeededFuture().compose(begin -> send(events)).onComplete(sent -> {
          if (sent.failed()) {
            LOG.warn("{} events were not told to other processes", events.size(), sent.cause());
          }
          sendNext();
        });
      }
    }

    /** How many of those that wait fit into one statement, at least one. */
    private int atOnce() {
      int count = 0;
      for (long characters = 0;
          count < Math.min(MOST_AT_ONCE, waiting.size()) && characters < MOST_CHARACTERS_AT_ONCE;
          count++) {
        Json data = waiting.get(count).data();
        characters += data == null ? 0 : data.text().length();
      }
      return count;
    }

    private List<StoreEvent> next() {
      Promise<Void> ended;
      synchronized (this) {
        if (!waiting.isEmpty()) {
          List<StoreEvent> some = waiting.subList(0, atOnce());
          List<StoreEvent> events = List.copyOf(some);
          some.clear();
          return events;
        }
        ended = idle;
        idle = null;
      }
      if (ended != null) {
        ended.complete();
      }
      return List.of();
    }
  }

  private Future<Void> send(List<StoreEvent> events) {
    Payloads payloads = new Payloads();
    events.forEach(payloads::add);
    payloads.close();
    return store(payloads)
        .compose(notifications -> notifications.isEmpty()
            ? Future.succeededFuture()
            : session.execute(NOTIFY, notifications).mapEmpty());
  }

  /** The notifications of what could be stored and of what need not be. */
  private Future<List<Notification>> store(Payloads payloads) {
    return payloads.rows.isEmpty()
        ? Future.succeededFuture(payloads.notifications)
        : session
            .execute(STORE_EVENTS, payloads.storing())
            .map(payloads.notifications)
            .otherwise(failure -> {
              LOG.warn(
                  "{} large events are not told to other processes", payloads.rows.size(), failure);
              return payloads.notifications.stream()
                  .filter(each -> !each.isOfRow())
                  .toList();
            });
  }

  /** As few notifications as hold all events, for each channel in their order. */
  private final class Payloads {
    private final List<Notification> notifications = new ArrayList<>();
    private final Map<String, String> rows = new LinkedHashMap<>();
    private final Map<String, Frame> open = new LinkedHashMap<>();

    void add(StoreEvent event) {
      String queue = event.queueName();
      String text = JobJson.write(event).text();
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      Frame frame = open.computeIfAbsent(
          queue, each -> new Frame(AdvisoryKey.channel(session.scope(), each)));
      if (frame.bytes + bytes + FRAME_BYTES > MOST_BYTES) {
        close(frame);
        frame = new Frame(frame.channel);
        open.put(queue, frame);
      }
      if (bytes + FRAME_BYTES > MOST_BYTES) {
        String row = session.ids().outboxMessageId();
        JsonWriter payload = new JsonWriter();
        payload.text("from", self);
        payload.text("row", row);
        rows.put(row, text);
        notifications.add(new Notification(frame.channel, payload.end(), true));
      } else {
        frame.events.add(text);
        frame.bytes += bytes + 1;
      }
    }

    void close() {
      open.values().forEach(this::close);
    }

    private void close(Frame frame) {
      if (!frame.events.isEmpty()) {
        String events = String.join(",", frame.events);
        notifications.add(new Notification(
            frame.channel, "{\"from\":\"" + self + "\",\"events\":[" + events + "]}", false));
      }
    }

    LargeEvents storing() {
      return new LargeEvents(List.copyOf(rows.entrySet()), clock.now());
    }
  }

  /** Events of one queue that share a notification. */
  private static final class Frame {
    private final String channel;
    private final List<String> events = new ArrayList<>();
    private int bytes;

    Frame(String channel) {
      this.channel = channel;
    }
  }

  private record Notification(String channel, String payload, boolean isOfRow) {}

  private record LargeEvents(List<Map.Entry<String, String>> bodies, Instant now) {}
}
