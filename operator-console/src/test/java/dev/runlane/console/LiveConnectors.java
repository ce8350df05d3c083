package dev.runlane.console;

import static dev.runlane.console.ConsoleFixture.await;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.runlane.connector.controller.ConnectorControllerOptions;
import dev.runlane.connector.controller.RunRequest;
import dev.runlane.connector.controller.StartOutcome;
import dev.runlane.connector.controller.registry.ConnectorRegistry;
import dev.runlane.connector.http.ConnectorRoutes;
import dev.runlane.connector.server.ConnectorServer;
import dev.runlane.connector.server.ConnectorServerOptions;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.lane.Lanes;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.pgclient.PgConnectOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A server of connectors whose programs are shell scripts: one asks, one goes on, one leaves gaps, one fails. */
final class LiveConnectors implements AutoCloseable {
  static final String ASKS = "library";
  static final String GAPS = "bank";
  static final String FAILS = "mail";
  static final String LONG = "photos";
  static final String PASSWORD = "correct horse 7 battery";

  private static final String MANIFEST = """
      {"protocol_version": "0.1.0", "connector_id": "%s", "version": "2.1.0", "display_name": "%s",
       "capabilities": {"human_interaction": ["credentials", "otp", "manual_action"],
         "refresh_policy": {"recommended_mode": "automatic", "rationale": "what is new comes once a day",
                            "recommended_interval_seconds": 86400, "minimum_interval_seconds": 600}},
       "runtime_requirements": {"bindings": {"network": {"required": true}}},
       "streams": [
         {"name": "%3$s", "semantics": "mutable_state", "primary_key": ["id"], "consent_time_field": "at",
          "schema": {"type": "object", "required": ["id"],
                     "properties": {"id": {"type": "string"}, "at": {"type": "string"}}}},
         {"name": "%4$s", "semantics": "append_only", "primary_key": ["id"],
          "schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}}]}
      """;

  private static final int MOST_LOOKS = 1_500;

  private final Vertx vertx;
  private final Path folder;
  private final ConnectorServer server;
  private final ConnectorRoutes routes;
  private final PgConnectorStore store;

  LiveConnectors(Vertx vertx) {
    this.vertx = vertx;
    folder = folder();
    PgConnectOptions database = PgConnectOptions.fromUri(
        PostgresServers.shared().createDatabase("console_live").toUri());
    store =
        PgConnectorStore.create(vertx, new PgConnectorStoreOptions().setConnectOptions(database));
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    server = new ConnectorServer(
        vertx,
        store,
        Lanes.create(storage, storage.notifyTransport()),
        storage::on,
        new ConnectorServerOptions()
            .setPort(0)
            .setOwnerToken("an-owners-token-of-enough-characters")
            .setController(new ConnectorControllerOptions()
                .setHostEnvironment(Map.of("PATH", System.getenv("PATH"))))
            .setConnectors(ConnectorRegistry.read(folder)));
    await(server.start());
    routes = new ConnectorRoutes(
        vertx,
        server.controller(),
        server.schedules(),
        Clock.system(),
        new Ids(Clock.system(), Randomness.system()));
  }

  private static Path folder() {
    try {
      Path folder = Files.createTempDirectory("console-connectors");
      write(folder, ASKS, "The public library", "books", "loans", askingScript());
      write(folder, GAPS, "Bank of Erewhon", "accounts", "transactions", leavingGaps());
      write(folder, FAILS, "Mail", "messages", "contacts", failing());
      write(folder, LONG, "Photos", "pictures", "albums", goingOn());
      write(folder, "attic", "The attic", "boxes", "labels", null);
      return folder;
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }

  private static void write(
      Path registry, String id, String name, String stream, String other, String script)
      throws IOException {
    Path own = Files.createDirectories(registry.resolve(id));
    Files.writeString(own.resolve("manifest.json"), MANIFEST.formatted(id, name, stream, other));
    if (script != null) {
      Files.writeString(own.resolve("connector.sh"), "read -r start\n" + script);
      Files.writeString(own.resolve("launch.json"), "{\"command\": [\"sh\", \"connector.sh\"]}");
    }
  }

  private static String say(String message) {
    return "echo '" + message + "'\n";
  }

  private static String record(String stream, int number) {
    return say("""
        {"type":"RECORD","stream":"%s","key":"%2$s","emitted_at":"2026-03-01T10:00:00Z","data":{"id":"%2$s"}}""".formatted(stream, number));
  }

  private static String done(int records) {
    return say("""
        {"type":"DONE","status":"succeeded","records_emitted":%s}""".formatted(records));
  }

  /** For a password, then, unless it was wrong, for a code; repeats what it was given where all can read it. */
  private static String askingScript() {
    return say("""
        {"type":"PROGRESS","stream":"books","message":"Opening the shelf","count":0,"total":2}""")
        + say("""
        {"type":"INTERACTION","request_id":"q1","kind":"credentials","message":"Log in to the library","stream":"books",\
        "timeout_seconds":900,"schema":{"type":"object","required":["card","pin"],"properties":{\
        "card":{"type":"string","title":"Library card","description":"the number below the bar code"},\
        "pin":{"type":"string","title":"PIN"},"branch":{"enum":["north","south"],"title":"Branch"}}}}""")
        + "read -r answer\n"
        + "case $answer in *'" + PASSWORD + "'*'north'*) ;; *) exit 9 ;; esac\n"
        + "echo \"got $answer\" >&2\n"
        + say("""
        {"type":"PROGRESS","stream":"books","message":"Let in with the pin\
        """ + " " + PASSWORD + "\"}")
        + say("""
        {"type":"INTERACTION","request_id":"q2","kind":"otp","message":"The code that was sent to you",\
        "timeout_seconds":300}""")
        + "read -r answer\n"
        + "case $answer in *'482913'*) ;; *) exit 8 ;; esac\n"
        + record("books", 1)
        + record("books", 2)
        + say("""
        {"type":"STATE","stream":"books","cursor":{"page":9007199254740993}}""")
        + say("""
        {"type":"PROGRESS","stream":"books","message":"All read","count":2,"total":2}""")
        + done(2);
  }

  private static String leavingGaps() {
    return say("""
        {"type":"PROGRESS","stream":"accounts","message":"2 accounts","count":2,"total":2}""") + record("accounts", 1) + record("accounts", 2) + say("""
        {"type":"STATE","stream":"accounts","cursor":{"seen":"2026-03-01"}}""") + say("""
        {"type":"SKIP_RESULT","stream":"transactions","reason":"rate_limited",\
        "message":"The bank allows 4 calls a day","recovery_hint":{"action":"retry_by_runtime","retryable":true},\
        "time_range":{"since":"2026-01-01","until":"2026-02-01"},"diagnostics":{"status":429}}""") + done(2);
  }

  private static String failing() {
    return say("""
        {"type":"PROGRESS","stream":"messages","message":"Connecting to imap.example.com"}""") + "echo 'imap: certificate has expired' >&2\nexit 3\n";
  }

  private static String goingOn() {
    return say("""
        {"type":"PROGRESS","stream":"pictures","message":"Album Summer","count":340,"total":1200}""") + record("pictures", 1) + say("""
        {"type":"STATE","stream":"pictures","cursor":{"page":3}}""") + "exec sleep 600\n";
  }

  /** The routes, for a console to serve behind its own log-in. */
  Router router(Handler<RoutingContext> authentication) {
    return routes.router(authentication);
  }

  /** Begins a run of each that has a program, with a schedule and grants; ends when each is where it stays. */
  Day day() {
    Instant now = Instant.now();
    Stream.of(
            new Grant(
                "grant-tax-office",
                GAPS,
                GrantAccessMode.SINGLE_USE,
                GrantState.ACTIVE,
                now.plus(Duration.ofDays(9))),
            new Grant("grant-adviser", GAPS, GrantAccessMode.CONTINUOUS, GrantState.ACTIVE, null))
        .forEach(grant -> await(store.grants().put(grant, now)));
    String gaps = ended(started(GAPS));
    await(server
        .schedules()
        .put(new PutSchedule(
            ConnectorRef.of(GAPS),
            Duration.ofDays(1),
            Duration.ofMinutes(5),
            true,
            null,
            now))); // due a day after it
    String fails = ended(started(FAILS));
    String goesOn = started(LONG);
    awaitEvents(goesOn, types -> types.contains("run.state_staged"));
    return new Day(gaps, fails, goesOn);
  }

  /** A run that is asked for now. */
  String started(String connector) {
    StartOutcome outcome = await(server.controller().start(RunRequest.now(connector)));
    return ((StartOutcome.Started) outcome).run().run().runId();
  }

  /** A run that has asked its first question. */
  String asking() {
    String run = started(ASKS);
    awaitEvents(run, types -> types.contains("run.interaction_required"));
    return run;
  }

  private String ended(String run) {
    awaitEvents(run, types -> types.contains("run.completed") || types.contains("run.failed"));
    return run;
  }

  /** Ends once the types of the run's events are as wanted. */
  void awaitEvents(String run, Predicate<Set<String>> wanted) {
    Set<String> types = types(run);
    for (int look = 0; look < MOST_LOOKS && !wanted.test(types); look++) {
      await(vertx.timer(20, MILLISECONDS));
      types = types(run);
    }
    if (!wanted.test(types)) {
      throw new AssertionError("run " + run + " has " + events(run));
    }
  }

  private Set<String> types(String run) {
    return events(run).stream()
        .map(event -> event.event().type().value())
        .collect(Collectors.toSet());
  }

  private List<RecordedEvent> events(String run) {
    return await(server.controller().timeline().read(new ReadTimeline(run, 0, 2_000)))
        .events();
  }

  @Override
  public void close() {
    await(routes.close());
    await(server.close());
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(file -> file.delete());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** Runs of a day: with gaps, failed, and one that goes on. */
  record Day(String gaps, String failed, String goesOn) {}
}
