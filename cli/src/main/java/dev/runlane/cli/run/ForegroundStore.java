package dev.runlane.cli.run;

import dev.runlane.cli.report.RecordCount;
import dev.runlane.cli.report.RunReporter;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.grant.Grants;
import dev.runlane.connector.store.history.RunHistory;
import dev.runlane.connector.store.manifest.ActiveManifests;
import dev.runlane.connector.store.memory.MemoryConnectorStore;
import dev.runlane.connector.store.record.ConnectorStates;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.AppendOutcome;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.connector.store.timeline.TimelinePage;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The store of one run in the foreground: cursors and the run's state in memory, records counted, and
 * events reported as they happen. Events that come in any number are not kept, so that it stays small.
 */
public final class ForegroundStore implements ConnectorStore {
  private static final Set<TimelineEventType> NOT_KEPT = EnumSet.of(
      TimelineEventType.PROGRESS_REPORTED,
      TimelineEventType.BATCH_INGESTED,
      TimelineEventType.STATE_STAGED,
      TimelineEventType.STREAM_SKIPPED);

  private final MemoryConnectorStore memory = new MemoryConnectorStore();
  private final Consumer<TimelineEvent> told;
  private final CountingSink sink;
  private final RunTimeline timeline = new ObservedTimeline();

  /**
   * An empty store.
   *
   * @param told is given every event when it is stored
   * @param reporter is told of records
   * @param showsRecords whether those that are taken are told, too
   */
  public ForegroundStore(Consumer<TimelineEvent> told, RunReporter reporter, boolean showsRecords) {
    this.told = told;
    sink = new CountingSink(
        memory.sink(), showsRecords ? reporter::records : records -> {}, reporter::rejected);
  }

  /** What was taken so far, by stream. */
  public Map<String, RecordCount> counts() {
    return sink.counts();
  }

  @Override
  public RecordSink sink() {
    return sink;
  }

  @Override
  public RunTimeline timeline() {
    return timeline;
  }

  @Override
  public ActiveRuns activeRuns() {
    return new ObservedRuns(memory.activeRuns(), told);
  }

  @Override
  public RunEnds runEnds() {
    return command -> memory.runEnds().end(command).onSuccess(outcome -> {
      if (outcome instanceof EndOutcome.Ended) {
        command.events().forEach(told);
      }
    });
  }

  @Override
  public RunHistory history() {
    return memory.history();
  }

  @Override
  public ActiveManifests manifests() {
    return memory.manifests();
  }

  @Override
  public Grants grants() {
    return memory.grants();
  }

  @Override
  public ConnectorStates states() {
    return memory.states();
  }

  private final class ObservedTimeline implements RunTimeline {
    @Override
    public Future<AppendOutcome> append(AppendEvents command) {
      return keep(command).onSuccess(outcome -> {
        if (outcome instanceof AppendOutcome.Appended) {
          command.events().forEach(told);
        }
      });
    }

    private Future<AppendOutcome> keep(AppendEvents command) {
      List<TimelineEvent> kept = command.events().stream()
          .filter(event -> !NOT_KEPT.contains(event.type()))
          .toList();
      return kept.isEmpty()
          ? Future.succeededFuture(new AppendOutcome.Appended())
          : memory.timeline().append(new AppendEvents(command.fence(), kept, command.now()));
    }

    @Override
    public Future<TimelinePage> read(ReadTimeline query) {
      return memory.timeline().read(query);
    }

    @Override
    public Future<RunBounds> bounds(String runId) {
      return memory.timeline().bounds(runId);
    }

    @Override
    public Future<Map<String, RecordedEvent>> terminalEvents(List<String> runIds) {
      return memory.timeline().terminalEvents(runIds);
    }

    @Override
    public Future<Integer> pruneEvents(Instant olderThan, int limit) {
      return memory.timeline().pruneEvents(olderThan, limit);
    }
  }
}
