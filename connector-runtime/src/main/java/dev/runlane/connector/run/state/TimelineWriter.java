package dev.runlane.connector.run.state;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.text.StorableJson;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.run.request.RunObserver;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.AppendOutcome;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the timeline of one run: in order, many events in one call, never two calls at once. Belongs to the
 * run's context.
 */
public final class TimelineWriter {
  private static final Logger LOG = LoggerFactory.getLogger(TimelineWriter.class);

  /** Events that wait; whoever would add more waits for {@link #room}. */
  private static final int MOST_WAITING = AppendEvents.MOST_EVENTS;

  private static final int MOST_WAITING_CHARACTERS = 4 << 20;

  /** What a connector can say without end. */
  private static final Set<TimelineEventType> THINNED = EnumSet.of(
      TimelineEventType.PROGRESS_REPORTED,
      TimelineEventType.BATCH_INGESTED,
      TimelineEventType.STATE_STAGED,
      TimelineEventType.STREAM_SKIPPED,
      TimelineEventType.ASSISTANCE_REQUESTED,
      TimelineEventType.ASSISTANCE_RESOLVED,
      TimelineEventType.ASSISTANCE_CANCELLED,
      TimelineEventType.ASSISTANCE_TIMED_OUT,
      TimelineEventType.ASSISTANCE_ESCALATED,
      TimelineEventType.DETAIL_GAP_RECORDED,
      TimelineEventType.DETAIL_GAP_RECOVERED,
      TimelineEventType.DETAIL_COVERAGE_DECLARED);

  private final RunTimeline timeline;
  private final RunFence fence;
  private final @Nullable String grantId;
  private final Clock clock;
  private final Timers timers;
  private final Ids ids;
  private final Retries retries;
  private final ConnectorRunOptions options;
  private final RunObserver observer;
  private final Consumer<RunFault> onFault;

  private final Deque<TimelineEvent> waiting = new ArrayDeque<>();
  private final Map<TimelineEventType, Kind> kinds = new EnumMap<>(TimelineEventType.class);
  private long waitingCharacters;
  private long thinned;
  private boolean broken;
  private @Nullable Promise<Void> writing;
  private @Nullable TimelineEvent last;

  public TimelineWriter(RunParts parts, Retries retries, Consumer<RunFault> onFault) {
    this.timeline = parts.timeline();
    this.fence = parts.request().active().fence();
    this.grantId = parts.request().active().grantId();
    this.clock = parts.clock();
    this.timers = parts.timers();
    this.ids = parts.ids();
    this.options = parts.options();
    this.observer = parts.observer();
    this.retries = retries;
    this.onFault = onFault;
  }

  /** An event of this run; this does not append it. */
  public TimelineEvent event(TimelineEventType type, String status, ObjectNode data) {
    return TimelineEvent.of(ids, type, status, clock.now(), StorableJson.of(data.toString()))
        .underGrant(grantId);
  }

  /** Appends an event of the run as a whole. */
  public void append(TimelineEventType type, String status, ObjectNode data) {
    append(event(type, status, data));
  }

  /** Appends an event of a stream, or of the run where that is null. */
  public void append(
      TimelineEventType type, String status, @Nullable String stream, ObjectNode data) {
    append(event(type, status, data).onStream(stream));
  }

  /** Records, unless there are too many of the kind. */
  public void append(TimelineEvent event) {
    if (broken) {
      return;
    }
    observe(event);
    if (isTooMany(event.type())) {
      thinned++;
      return;
    }
    last = event;
    waiting.add(event);
    waitingCharacters += event.data().text().length();
    if (writing == null) {
      write();
    }
  }

  /** Shows an event to the observer: for those that are stored in another way than by this. */
  public void observe(TimelineEvent event) {
    try {
      observer.event(event);
    } catch (Throwable failure) { // whatever it is, the run goes on
      LOG.warn("the observer of run {} failed", fence.runId(), failure);
    }
  }

  /** Completes when more can be recorded without holding too much. Never fails. */
  public Future<Void> room() {
    boolean full = waiting.size() >= MOST_WAITING || waitingCharacters >= MOST_WAITING_CHARACTERS;
    return full ? flushed() : Future.succeededFuture();
  }

  /** Completes when everything that was recorded is stored, or nothing more can be. Never fails. */
  public Future<Void> flushed() {
    return writing == null ? Future.succeededFuture() : writing.future();
  }

  /** The last event that was recorded, or null. */
  @Nullable
  public TimelineEvent last() {
    return last;
  }

  /** How many events were left out because there were too many of their kind. */
  public long thinned() {
    return thinned;
  }

  private boolean isTooMany(TimelineEventType type) {
    return THINNED.contains(type)
        && kinds.computeIfAbsent(type, first -> new Kind()).isOneTooMany(options, timers.elapsed());
  }

  private void write() {
    Promise<Void> done = Promise.promise();
    writing = done;
    writeNext(done);
  }

  private void writeNext(Promise<Void> done) {
    if (waiting.isEmpty()) {
      writing = null;
      done.complete();
      return;
    }
    AppendEvents command = new AppendEvents(fence, next(), clock.now());
    retries
        .call(
            options.getStoreAttempts(), () -> true, () -> timeline.append(command), answer -> false)
        .onComplete((answer, failure) -> {
          if (failure != null) {
            LOG.error("the timeline of run {} could not be written", fence.runId(), failure);
            breakOff(RunFault.ofRuntime(
                TerminalReason.RUNTIME_ERROR, "the timeline could not be written"));
          } else if (answer instanceof AppendOutcome.FencedOut) {
            breakOff(RunFault.fencedOut());
          }
          writeNext(done);
        });
  }

  private List<TimelineEvent> next() {
    List<TimelineEvent> batch = new ArrayList<>();
    long characters = 0;
    while (!waiting.isEmpty()
        && batch.size() < AppendEvents.MOST_EVENTS
        && characters < MOST_WAITING_CHARACTERS) {
      TimelineEvent event = waiting.remove();
      characters += event.data().text().length();
      batch.add(event);
    }
    waitingCharacters -= characters;
    return batch;
  }

  private void breakOff(RunFault fault) {
    broken = true;
    waiting.clear();
    waitingCharacters = 0;
    onFault.accept(fault);
  }

  /** How often a kind of event was recorded. */
  private static final class Kind {
    private int count;
    private Duration lastTold = Duration.ZERO;

    boolean isOneTooMany(ConnectorRunOptions options, Duration now) {
      if (count < options.getEventsOfAKind()) {
        count++;
      } else if (now.minus(lastTold).compareTo(options.getThinnedInterval()) < 0) {
        return true;
      }
      lastTold = now;
      return false;
    }
  }
}
