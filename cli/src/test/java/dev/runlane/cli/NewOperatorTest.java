package dev.runlane.cli;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What goes wrong in a shop with real workers on a real Postgres and Kafka, and what somebody who has the command alone
 * is told of it, each within a minute of the moment it can be known.
 */
@Tag("full")
@DisplayName("a new operator")
@DisplayNameGeneration(ReplaceUnderscores.class)
class NewOperatorTest {
  private static final long MINUTE_NANOS = SECONDS.toNanos(60);
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir
  private Path folder;

  private final PostgresAddress database = PostgresServers.shared().createDatabase("operator");
  private final List<Process> workers = new ArrayList<>();
  private String shop = "";
  private String kafka = "";

  @AfterEach
  void killWorkers() {
    workers.forEach(each -> each.destroyForcibly().onExit().join());
  }

  @Test
  void finds_and_names_each_of_ten_faults_within_a_minute() throws Exception {
    shop = UserProgram.jar(
            folder,
            Files.readString(Path.of("src/test/resources/applications/Shop.java")),
            "shop.Shop")
        .toString();
    try (EmbeddedKafka broker = EmbeddedKafka.builder().start();
        Connection forgotten = connect()) {
      kafka = broker.bootstrapServers();
      makeNarrowTopic();
      assertThat(runlane("migrate", "--apply").exit()).isZero();
      Process worker = worker();
      untilLives();

      // 1: a schedule whose runs fail
      untilDoctor("schedules", "Schedule nightly of task report");

      // 2: a partition that is full
      run("charge", "payments", "one", "--concurrency-key", "merchant");
      untilRunning();
      String second = run("charge", "payments", "two", "--concurrency-key", "merchant");
      untilSays("payments", "runs", "explain", second);

      // 3: wakeups that the broker never takes
      run("label", "narrow", "x");
      untilDoctor("outbox", "wakeups were given up");

      // 4: a queue that is paused
      assertThat(
              runlane("queues", "pause", "orders", "--reason", "stock-taking").exit())
          .isZero();
      run("ship", "orders", "x");
      untilDoctor("paused", "stock-taking");

      // 5: a task that no process has
      run("refund", "payments", "x");
      untilDoctor("tasks", "task refund in queue payments");

      // 6: a capacity row that is off
      sql("UPDATE runlane.queue_capacity SET used = 3 WHERE queue = 'payments'");
      untilDoctor("capacity", "Queue payments");

      // 7: a transaction that somebody forgot
      forgotten.setAutoCommit(false);
      try (Statement statement = forgotten.createStatement()) {
        statement.execute("SELECT count(*) FROM runlane.active_runs");
      }
      untilDoctor("long_transactions", "has a transaction open since");

      // 8: the broker is gone
      broker.kill();
      run("label", "narrow", "y");
      untilDoctor("outbox", "could not be published and are tried again");

      // 9: the worker is gone: it is shown, and so is what nobody works on any more
      worker.destroyForcibly().onExit().join();
      untilSays("gone", "workers");
      untilDoctor("queues", "no living process works on that queue");

      // 10: a clock that is off, told with the sign of life that such a process would write: none
      // can be given one here
      sql(
          "INSERT INTO runlane.live_processes (env, process_id, host, version, roles, queues, task_ids, worker_ids, slots,"
              + " running, longest_lease_millis, started_at, last_seen, clock_offset_millis) SELECT env, 'late', 'attic',"
              + " '', '{}', '{orders}', '{}', '{}', 1, 0, 30000, now(), now() - interval '1 minute', -60000"
              + " FROM runlane.environments LIMIT 1");
      untilDoctor("clocks", "The clock of process late on attic is 60000 ms behind");
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://" + database.host() + ":" + database.port() + "/" + database.database(),
        database.user(),
        database.password());
  }

  private void sql(String statement) throws SQLException {
    try (Connection connection = connect();
        Statement made = connection.createStatement()) {
      made.execute(statement);
    }
  }

  /** One that takes no record as large as a wakeup is. */
  private void makeNarrowTopic() throws Exception {
    try (Admin admin =
        Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, (Object) kafka))) {
      admin
          .createTopics(List.of(
              new NewTopic("shop.narrow", 1, (short) 1).configs(Map.of("max.message.bytes", "80"))))
          .all()
          .get(60, SECONDS);
    }
  }

  private Process worker() throws IOException {
    Process worker = command("worker", "--classpath", shop)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("worker.log").toFile())
        .start();
    workers.add(worker);
    return worker;
  }

  /** Triggers by the command; answers the id. */
  private String run(String task, String queue, String payload, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(
        List.of("trigger", task, "--queue", queue, "--payload", '"' + payload + '"', "--json"));
    arguments.addAll(List.of(more));
    Ended triggered = runlane(arguments.toArray(String[]::new));
    assertThat(triggered.exit())
        .as(triggered.said() + Files.readString(folder.resolve("errors.log")))
        .isZero();
    JsonNode answer = JSON.readTree(triggered.said());
    return answer.path("run").path("id").asText(answer.path("id").asText());
  }

  private void untilLives() throws Exception {
    untilSays("orders", "workers");
  }

  private void untilRunning() throws Exception {
    untilSays("charge", "runs", "list", "--status", "running");
  }

  private void untilSays(String text, String... arguments) throws Exception {
    long end = System.nanoTime() + MINUTE_NANOS;
    Ended last;
    do {
      last = runlane(arguments);
    } while (!last.said().contains(text) && waits(end));
    assertThat(last.said()).contains(text);
  }

  private void untilDoctor(String check, String text) throws Exception {
    long end = System.nanoTime() + MINUTE_NANOS;
    boolean isNamed;
    JsonNode last;
    do {
      last = doctor();
      isNamed = false;
      for (JsonNode finding : last.path("findings")) {
        isNamed |= finding.path("check").asText().equals(check)
            && finding.path("text").asText().contains(text)
            && !finding.path("mend").asText().isEmpty();
      }
    } while (!isNamed && waits(end));
    assertThat(isNamed).as("%s in %s", text, last).isTrue();
  }

  private static boolean waits(long end) {
    LockSupport.parkNanos(SECONDS.toNanos(1));
    return System.nanoTime() < end;
  }

  private JsonNode doctor() throws Exception {
    return JSON.readTree(runlane("doctor", "--long-transaction", "1s", "--json").said());
  }

  private Ended runlane(String... arguments) throws Exception {
    Process process =
        command(arguments).redirectError(folder.resolve("errors.log").toFile()).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), said);
  }

  private ProcessBuilder command(String... arguments) {
    List<String> command = new ArrayList<>(List.of(
        System.getProperty("java.home") + "/bin/java",
        CommandJvm.SHORT,
        "-cp",
        System.getProperty("java.class.path"),
        RunlaneProgram.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("RUNLANE_DATABASE", database.toUri());
    builder.environment().put("SHOP_KAFKA", kafka);
    builder.environment().put("USER", "ada");
    return builder;
  }

  private record Ended(int exit, String said) {}
}
