package dev.runlane.console.stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.timing.Clock;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Reads once a second, for all streams together and only while there are any, what changed, and tells each what it has
 * not heard. A process may commit an event a while after it occurred: each reading begins that while before the last,
 * and what was told then is remembered until it is older. Belongs to the console's context.
 */
final class ChangeFeed {
  /** How long after it occurred a change may be committed and is still told = 3 s. */
  static final Duration LATE = Duration.ofSeconds(3);

  /** How far back a stream can go on = 10 min. */
  static final Duration LONGEST_BACK = Duration.ofMinutes(10);

  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);
  private static final Duration NOBODY = Duration.ofHours(1); // a new stream wakes the loops

  private final ChangeReader reader;
  private final Supplier<List<ObjectNode>> bulkActions;
  private final Clock clock; // the storage's, as far as is known: events have that time
  private final SweepLoop reading;
  private final SweepLoop heartbeats;
  private final Set<EventStream> streams = new LinkedHashSet<>();
  private final Map<String, String> toldActions = new HashMap<>();
  private final Map<String, Instant> told = new HashMap<>(); // events by id, and when they occurred
  private boolean isStarted;

  /**
   * A feed that reads once a stream is added.
   *
   * @param clock the storage's, by which events are told that occurred since
   */
  ChangeFeed(
      ChangeReader reader, Supplier<List<ObjectNode>> bulkActions, Timers timers, Clock clock) {
    this.reader = reader;
    this.bulkActions = bulkActions;
    this.clock = clock;
    reading = new SweepLoop(timers, "change feed", this::readOnce, INTERVAL, () -> pause(INTERVAL));
    heartbeats = new SweepLoop(
        timers, "heartbeat of event streams", this::beatOnce, HEARTBEAT, () -> pause(HEARTBEAT));
  }

  private Duration pause(Duration whileListened) {
    return streams.isEmpty() ? NOBODY : whileListened;
  }

  int size() {
    return streams.size();
  }

  /** From now on the stream is told what changes. */
  void add(EventStream stream) {
    if (streams.isEmpty()) {
      told.clear();
      toldActions.clear();
    }
    streams.add(stream);
    if (isStarted) {
      reading.wake();
      heartbeats.wakeIn(HEARTBEAT);
    } else {
      isStarted = true;
      reading.start();
      heartbeats.start();
    }
  }

  void remove(EventStream stream) {
    streams.remove(stream);
  }

  /** Tells nobody any more. */
  void close() {
    streams.clear();
    reading.stop();
    heartbeats.stop();
  }

  private Future<Boolean> beatOnce() {
    List.copyOf(streams).forEach(EventStream::beat);
    return Future.succeededFuture(false);
  }

  private Future<Boolean> readOnce() {
    if (streams.isEmpty()) {
      return Future.succeededFuture(false);
    }
    List<EventStream> listening = List.copyOf(streams);
    Instant now = clock.now();
    Instant earliest = now.minus(LONGEST_BACK);
    Instant wanted = listening.stream()
        .map(stream -> from(stream, earliest, now))
        .reduce(now.minus(LATE), (one, other) -> one.isBefore(other) ? one : other);
    return reader.since(wanted.isBefore(earliest) ? earliest : wanted).map(found -> {
      List<Change> running = actions(body -> !body.has("endedAt"));
      List<Change> changed = actions(this::isChanged);
      listening.forEach(stream -> stream.tell(
          news(stream, from(stream, earliest, now), found, stream.isNew() ? running : changed),
          now));
      remember(found, now);
      return false;
    });
  }

  /**
   * From when on it may have missed something. A client says where it was: what is farther back counts as too far, and
   * what is still to come, as by a clock that was ahead, as now.
   */
  private static Instant from(EventStream stream, Instant earliest, Instant now) {
    Instant position = stream.position();
    Instant known = position.isAfter(now) ? now : position;
    return (known.isBefore(earliest) ? earliest : known).minus(LATE);
  }

  /** What the stream has not heard, in the order in which it occurred, and then the actions. */
  private List<Change> news(
      EventStream stream, Instant from, ChangeReader.Reading found, List<Change> actionsToTell) {
    List<Change> news = new ArrayList<>(actionsToTell);
    found.changes().forEach((id, change) -> {
      boolean isHeard = !stream.isNew() && told.containsKey(id);
      if (!isHeard && !change.at().isBefore(from)) {
        news.add(change);
      }
    });
    if (from.isBefore(found.wholeFrom())) {
      news.add(Change.SKIPPED);
    }
    Collections.reverse(news);
    return news;
  }

  private void remember(ChangeReader.Reading found, Instant now) {
    Instant oldest = now.minus(LATE);
    found.changes().forEach((id, change) -> told.put(id, change.at()));
    told.values().removeIf(at -> at.isBefore(oldest));
    toldActions.clear();
    bulkActions.get().forEach(body -> toldActions.put(id(body), JsonTexts.write(body)));
  }

  private List<Change> actions(Predicate<ObjectNode> isTold) {
    return bulkActions.get().stream().filter(isTold).map(reader::action).toList();
  }

  private boolean isChanged(ObjectNode action) {
    return !JsonTexts.write(action).equals(toldActions.get(id(action)));
  }

  private static String id(ObjectNode action) {
    return action.path("id").textValue();
  }
}
