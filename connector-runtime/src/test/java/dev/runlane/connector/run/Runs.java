package dev.runlane.connector.run;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.connector.process.ChildCommand;
import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.run.request.BrowserSurface;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.ConnectorRunResult;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.memory.MemoryConnectorStore;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredCursor;
import dev.runlane.connector.store.record.StoredRecord;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.run.Json;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs real connectors for tests: shell and Node programs over a store in memory. */
final class Runs implements AutoCloseable {
  static final ConnectorRef SHELF = ConnectorRef.of("shelf");

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Path HERE = Path.of("").toAbsolutePath();
  private static final String MANIFEST = """
      {"protocol_version": "0.1.0", "connector_id": "shelf", "version": "1",
       "streams": [
         {"name": "books", "primary_key": ["id"], "consent_time_field": "at",
          "schema": {"required": ["id"]}},
         {"name": "loans", "primary_key": ["id"], "semantics": "append_only"}]}
      """;

  final Vertx vertx = Vertx.vertx();
  final Context context = vertx.getOrCreateContext();
  final MemoryConnectorStore store = new MemoryConnectorStore();
  final Redaction redaction = new Redaction();
  final Signals signals = new Signals();
  final ConnectorRunOptions options = new ConnectorRunOptions();

  Timers timers = Timers.of(vertx);
  RecordSink sink = store.sink();
  RunEnds ends = store.runEnds();
  RunTimeline timeline = store.timeline();
  ConnectorManifest manifest = ConnectorManifest.parse(MANIFEST);
  StartScope scope = StartScope.derived(manifest, null);

  @Nullable
  CollectionMode mode;

  boolean persistState = true;
  boolean interactive = true;
  boolean unattended;

  @Nullable
  BrowserSurface surface;

  @Nullable
  String grantId;

  private final ChildProcesses children;
  private final Ids ids = new Ids(Clock.system(), Randomness.system());

  Runs() {
    this(new ChildProcessOptions());
  }

  Runs(ChildProcessOptions options) {
    children = new ChildProcesses(vertx, Timers.of(vertx), options);
    await(children.start());
  }

  void scope(String streams) {
    scope = StartScope.requested(manifest, Json.ofChecked("{\"streams\":" + streams + "}"));
  }

  /** Runs a shell script to its end. */
  Finished run(String script) {
    return finish(begin(script));
  }

  /** For a child that stays where it should exit; any other has all the time that a busy machine needs. */
  Runs withoutPatience() {
    options.setExitTimeout(Duration.ofMillis(100));
    return this;
  }

  Begun begin(String script) {
    return begin(List.of("sh", "-c", script));
  }

  /** Begins a Node program of the test's resources. */
  Begun node(String name) {
    return begin(List.of("node", "src/test/resources/connectors/" + name));
  }

  Begun begin(List<String> command) {
    ActiveRun active = active();
    ConnectorRunRequest request = new ConnectorRunRequest(
        active,
        manifest,
        scope,
        mode,
        persistState,
        new ChildCommand(command, HERE, Map.of("PATH", System.getenv("PATH"))),
        redaction,
        interactive,
        surface,
        unattended);
    ConnectorRunner runner = new ConnectorRunner(
        vertx,
        children,
        sink,
        timeline,
        ends,
        Clock.system(),
        timers,
        Randomness.system(),
        options);
    return new Begun(active, onContext(() -> runner.begin(request, signals)));
  }

  Finished finish(Begun run) {
    ConnectorRunResult result = await(run.run.result());
    return new Finished(result, events(run.active.run().runId()));
  }

  /** What {@code call} answers on the runs' context. */
  <R> R onContext(Supplier<R> call) {
    Promise<R> answer = Promise.promise();
    context.runOnContext(turn -> {
      try {
        answer.complete(call.get());
      } catch (RuntimeException failure) {
        answer.fail(failure);
      }
    });
    return await(answer.future());
  }

  List<TimelineEvent> events(String runId) {
    return await(store.timeline().read(new ReadTimeline(runId, 0, ReadTimeline.MOST_EVENTS)))
        .events()
        .stream()
        .map(RecordedEvent::event)
        .toList();
  }

  /** The committed cursors, as JSON by stream. */
  Map<String, StoredCursor> cursors() {
    return await(store.states().show(new StateScope(SHELF, grantId)));
  }

  /** The keys of a stream's stored records. */
  List<String> records(String stream) {
    return await(store.records().records(SHELF.instanceId(), stream, "", 10_000)).stream()
        .map(StoredRecord::key)
        .toList();
  }

  static JsonNode data(TimelineEvent event) {
    return tree(event.data());
  }

  static JsonNode tree(@Nullable Json json) {
    try {
      return MAPPER.readTree(json == null ? "null" : json.text());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static <R> R await(Future<R> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(60, SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    await(children.close());
    await(vertx.close());
  }

  private ActiveRun active() {
    RunIdentity identity = new RunIdentity(ids.runId(), "trc_1", SHELF);
    BeginOutcome outcome = await(store
        .activeRuns()
        .begin(new BeginRun(
            identity,
            RunTrigger.RUN_NOW,
            grantId,
            null,
            new ControllerProcess("ctl", "host", "boot", 1, 1, null),
            Clock.system().now())));
    return ((BeginOutcome.Begun) outcome).run();
  }

  /** A run under way. */
  record Begun(ActiveRun active, ConnectorRun run) {}

  /** A run that ended. */
  record Finished(ConnectorRunResult result, List<TimelineEvent> events) {
    ConnectorRunResult.Ended ended() {
      return (ConnectorRunResult.Ended) result;
    }

    TimelineEvent terminal() {
      return events.get(events.size() - 1);
    }

    JsonNode end() {
      return data(terminal());
    }

    List<String> types() {
      return events.stream().map(event -> event.type().value()).toList();
    }

    /** The data of the only event of this type. */
    JsonNode the(String type) {
      List<TimelineEvent> found =
          events.stream().filter(event -> event.type().value().equals(type)).toList();
      if (found.size() != 1) {
        throw new AssertionError(found.size() + " events " + type + " among " + types());
      }
      return data(found.get(0));
    }

    String subtype() {
      return end().path("violation").path("subtype").asText();
    }

    String reason() {
      return end().path("reason").asText();
    }
  }
}
