package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.testinfra.postgres.ReusedSchemas;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("runlane worker, tick, serve and dev")
@SuppressWarnings("try") // what is started is ended, whatever is done to it meanwhile
@DisplayNameGeneration(ReplaceUnderscores.class)
class ApplicationTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ReusedSchemas SCHEMAS = new ReusedSchemas("application_");
  private static final String NOTHING_MORE = "Nothing more is due\n";

  @TempDir
  private static Path program;

  private static String jar;

  @TempDir
  private Path folder;

  private final String schema = SCHEMAS.take();
  private final Map<String, String> variables =
      Map.of("RUNLANE_DATABASE", OperatedFleet.sessions().toUri(), "RUNLANE_SCHEMA", schema);
  private boolean hasJobs; // which the next test is not to find

  @BeforeAll
  static void compile() throws Exception {
    jar = UserProgram.greetings(program).toString();
  }

  @AfterEach
  void giveSchemaBack() {
    if (!hasJobs) {
      sql(ReusedSchemas.emptying(schema));
      SCHEMAS.giveBack(schema);
    }
  }

  private static void sql(String statement) {
    Vertx vertx = Vertx.vertx();
    PgConnection connection = OperatedFleet.await(PgConnection.connect(
        vertx, PgConnectOptions.fromUri(OperatedFleet.sessions().toUri())));
    OperatedFleet.await(connection.query(statement).execute());
    OperatedFleet.await(connection.close());
    OperatedFleet.await(vertx.close());
  }

  private Printed runlane(String... arguments) {
    return Printed.by(variables, Terminal.NONE, arguments);
  }

  private static String status(JsonNode runs) {
    return runs.path("data").path(0).path("status").asText();
  }

  private JsonNode runs() throws Exception {
    return JSON.readTree(runlane("runs", "list", "--json").out());
  }

  private void migrateJobs() {
    hasJobs = true;
    assertThat(runlane("migrate", "--apply", "--module", "jobs").exitCode()).isZero();
  }

  private void migrate() {
    assertThat(runlane("migrate", "--apply").exitCode()).isZero();
  }

  @Test
  void the_smallest_application_of_the_readme_is_the_one_that_is_tried_here() throws Exception {
    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + Files.readString(UserProgram.GREETINGS) + "```");
  }

  @Test
  void worker_runs_the_tasks_of_a_users_jar_until_ctrl_c() throws Exception {
    try (Started worker =
        new Started(variables, "worker", "--classpath", jar, "--retention", "30d")) {
      assertThat(worker.after("Working on "))
          .isEqualTo("tasks greet of queues mail, environment default");

      Printed triggered =
          runlane("trigger", "greet", "--payload", "\"Ada\"", "--watch", "--queue", "mail");

      assertThat(triggered.exitCode()).as(triggered.toString()).isZero();
      assertThat(status(runs())).isEqualTo("succeeded");
      assertThat(worker.interrupt()).isEqualTo(130);
      assertThat(worker.out()).endsWith("Ctrl-C ends it\nEnded\n");
      assertThat(worker.err()).isEmpty();
    }
  }

  @Test
  void ctrl_c_lets_an_attempt_end_within_the_close_timeout_of_the_program() throws Exception {
    String source = Files.readString(UserProgram.GREETINGS)
        .replace(
            "new RunlaneOptions()",
            "new RunlaneOptions().setCloseTimeout(java.time.Duration.ofSeconds(45))")
        .replace(
            "Future.succeededFuture(TaskResult.done(\"Hello \" + name))",
            "Vertx.currentContext().owner().timer(17, java.util.concurrent.TimeUnit.SECONDS)"
                + ".map(TaskResult.done())");
    String slow = UserProgram.jar(folder, source, "greetings.Greetings").toString();
    try (Started worker = new Started(variables, "worker", "-cp", slow)) {
      worker.after("Working on ");
      assertThat(runlane("trigger", "greet", "-p", "\"Ada\"", "-q", "mail").exitCode())
          .isZero();
      OperatedFleet.until(
          () -> runlane("runs", "list", "-s", "running", "--json").out().contains("\"greet\""));

      assertThat(worker.interrupt()).isEqualTo(130);

      assertThat(worker.err()).isEmpty();
      assertThat(status(runs())).isEqualTo("succeeded");
    }
  }

  @Test
  void worker_takes_the_roles_and_queues_that_it_is_told() throws Exception {
    try (Started publisher =
        new Started(variables, "worker", "-cp", jar, "--role", "dispatcher,outboxPublisher")) {
      publisher.after("Working on ");
      assertThat(runlane("trigger", "greet", "--payload", "\"Ada\"", "--queue", "mail")
              .exitCode())
          .isZero();

      OperatedFleet.until(() -> runlane("workers").out().contains("dispatcher"));
      assertThat(runlane("workers").out()).contains("dispatcher").doesNotContain("scheduler");
    }
    assertThat(status(runs())).isEqualTo("queued");
    Printed unknown = runlane("worker", "-cp", jar, "--role", "cook");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err()).startsWith("runlane: --role: there is no cook; there are worker,");
    Printed queue = runlane("worker", "-cp", jar, "--queue", "letters");
    assertThat(queue.exitCode()).isEqualTo(1);
    assertThat(queue.err())
        .contains("letters")
        .contains("(configuration_invalid)")
        .hasLineCount(1);
  }

  @Test
  void tick_makes_one_pass_and_as_many_attempts_as_it_is_told() throws Exception {
    try (Started worker = new Started(variables, "worker", "-cp", jar, "--role", "retention")) {
      worker.after("Working on ");
      for (String name : new String[] {"\"Ada\"", "\"Bo\""}) {
        assertThat(runlane("trigger", "greet", "--payload", name, "--queue", "mail")
                .exitCode())
            .isZero();
      }
    }

    Printed pass = runlane("tick", "-cp", jar);
    Printed one = runlane("tick", "-cp", jar, "--runs", "1", "--json");
    Printed rest = runlane("tick", "-cp", jar, "--runs", "10");

    assertThat(pass.exitCode()).as(pass.toString()).isZero();
    assertThat(pass.out()).endsWith(NOTHING_MORE);
    assertThat(one.exitCode()).as(one.toString()).isEqualTo(6);
    assertThat(JSON.readTree(one.out()).path("attempts").path("succeeded").asInt())
        .isOne();
    assertThat(JSON.readTree(one.out()).path("moreWaiting").asBoolean()).isTrue();
    assertThat(rest.exitCode()).isZero();
    assertThat(rest.out()).contains("1 attempts, the run now succeeded\n").endsWith(NOTHING_MORE);
  }

  @Test
  void serve_offers_the_api_of_a_database_without_any_application() throws Exception {
    migrate();
    try (Started served = new Started(variables, "serve", "--port", "0")) {
      assertThat(get(served, "/runs").path("data")).isEmpty();

      assertThat(served.interrupt()).isEqualTo(130);
      assertThat(served.out()).endsWith("Ended\n");
    }
  }

  @Test
  void serve_serves_the_jobs_of_a_schema_that_has_their_tables_when_it_starts() throws Exception {
    migrate();
    try (Started runs = new Started(variables, "serve", "--port", "0")) {
      Printed none = over(runs, "jobs", "queues");

      assertThat(none.exitCode()).as(none.toString()).isEqualTo(1);
      assertThat(none.err())
          .contains("runlane serve and dev serve those of a schema", "jobs_not_served");
      assertThat(get(runs, "/session").path("serves")).isEmpty();
    }
    migrateJobs();
    for (String[] program : new String[][] {{}, {"-cp", jar}}) {
      List<String> arguments = new ArrayList<>(List.of("serve", "--port", "0"));
      arguments.addAll(List.of(program));
      try (Started both = new Started(variables, arguments.toArray(String[]::new))) {
        assertThat(over(both, "jobs", "queues").exitCode()).isZero();
        assertThat(get(both, "/session").path("serves").toString()).isEqualTo("[\"jobs\"]");

        assertThat(both.interrupt()).isEqualTo(130);
        assertThat(both.out()).endsWith("Ended\n");
        assertThat(both.err()).isEmpty();
      }
    }
  }

  @Test
  void serve_serves_a_program_without_the_jobs_of_a_schema_that_nobody_named() throws Exception {
    Map<String, String> unscoped =
        Map.of("RUNLANE_DATABASE", OperatedFleet.sessions().toUri());
    for (String module : List.of("runs", "jobs")) {
      assertThat(Printed.by(unscoped, Terminal.NONE, "migrate", "--apply", "--module", module)
              .exitCode())
          .isZero();
    }
    try (Started served = new Started(unscoped, "serve", "--port", "0", "-cp", jar)) {
      assertThat(over(served, "jobs", "queues").err()).contains("jobs_not_served");
      assertThat(get(served, "/runs").path("data")).isEmpty();
    }
  }

  @Test
  void serve_serves_the_runs_beside_tables_of_jobs_that_are_not_of_its_release() throws Exception {
    migrate();
    migrateJobs();
    forgetLastMigrationOfJobs();
    try (Started served = new Started(variables, "serve", "--port", "0")) {
      assertThat(get(served, "/runs").path("data")).isEmpty();

      assertThat(served.err())
          .startsWith(
              "runlane: jobs are not served until runlane migrate --apply and the next start: ")
          .hasLineCount(1);
    }
  }

  private void forgetLastMigrationOfJobs() {
    String migrations = schema + ".schema_migrations";
    sql("DELETE FROM " + migrations
        + " WHERE module = 'job-queue' AND version = (SELECT max(version) FROM " + migrations
        + " WHERE module = 'job-queue')");
  }

  private static Printed over(Started served, String... command) {
    String address = served.after("API at ").replaceAll("/api/v1,.*", "");
    return Printed.by(Map.of("RUNLANE_URL", address), Terminal.NONE, command);
  }

  @Test
  void serve_with_an_application_knows_its_tasks() throws Exception {
    migrate();
    try (Started served = new Started(variables, "serve", "--port", "0", "-cp", jar)) {
      assertThat(get(served, "/tasks").toString()).contains("\"greet\"");
    }
  }

  @Test
  void serve_refuses_other_addresses_without_tokens_and_files_that_are_no_options()
      throws Exception {
    migrate();
    Path everywhere = Files.writeString(folder.resolve("api.json"), "{\"host\": \"0.0.0.0\"}");
    Path wrong = Files.writeString(folder.resolve("wrong.json"), "{\"hots\": 1}");

    Printed open = runlane("serve", "--port", "0", "--options", everywhere.toString());
    Printed unknown = runlane("serve", "--options", wrong.toString());

    assertThat(open.exitCode()).isEqualTo(1);
    assertThat(open.err()).contains("needs tokens").hasLineCount(1);
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err()).contains("hots").hasLineCount(1);
  }

  private static JsonNode get(Started served, String path) throws Exception {
    String address = served.after("API at ").replaceAll(",.*", "");
    return JSON.readTree(HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(address + path)).build(), BodyHandlers.ofString())
        .body());
  }

  @Test
  void dev_brings_a_postgres_that_keeps_its_data_and_that_other_commands_find() throws Exception {
    Path data = folder.resolve("dev");
    String[] arguments = {"dev", "-cp", jar, "--port", "0", "--data", data.toString()};
    Map<String, String> others;
    try (Started dev = new Started(Map.of(), arguments)) {
      assertThat(get(dev, "/tasks").toString()).contains("\"greet\"");
      assertThat(get(dev, "/session").path("serves")).isEmpty();
      others = Map.of("RUNLANE_DATABASE_FILE", dev.after("export RUNLANE_DATABASE_FILE="));
      Printed triggered = Printed.by(
          others,
          Terminal.NONE,
          "trigger",
          "greet",
          "--payload",
          "\"Ada\"",
          "--watch",
          "--queue",
          "mail");
      assertThat(triggered.exitCode()).as(triggered.toString()).isZero();
      assertThat(Printed.by(others, Terminal.NONE, "migrate", "--apply", "--module", "jobs")
              .exitCode())
          .isZero();
      assertThat(PosixFilePermissions.toString(
              Files.getPosixFilePermissions(data.resolve("database"))))
          .isEqualTo("rw-------");
      assertThat(dev.out()).doesNotContain("postgresql://");

      assertThat(dev.interrupt()).isEqualTo(130);
      assertThat(Printed.by(others, Terminal.NONE, "runs", "list").exitCode()).isEqualTo(5);
    }
    try (Started again = new Started(Map.of(), arguments)) {
      assertThat(get(again, "/runs").path("data")).hasSize(1);
      assertThat(over(again, "jobs", "queues").exitCode()).isZero();
    }
  }

  @Test
  void a_class_path_without_an_application_with_two_or_with_one_that_cannot_be_made_is_invalid()
      throws Exception {
    String source = Files.readString(UserProgram.GREETINGS);
    Path none = UserProgram.jar(Files.createDirectory(folder.resolve("none")), source);
    Path gone = UserProgram.jar(
        Files.createDirectory(folder.resolve("gone")), source, "greetings.Departed");
    Path failing = UserProgram.jar(
        Files.createDirectory(folder.resolve("failing")),
        source.replace(
            "  @Override",
            "  public Greetings() {\n    throw new IllegalStateException(\"no door\");\n  }\n\n  @Override"),
        "greetings.Greetings");
    Path other = UserProgram.jar(
        Files.createDirectory(folder.resolve("other")),
        source.replace("package greetings", "package others"),
        "others.Greetings");

    assertInvalid("nothing on --classpath declares a RunlaneApplication", none.toString());
    assertInvalid("greetings.Departed", gone.toString());
    assertInvalid("no door", failing.toString());
    assertInvalid("[greetings.Greetings, others.Greetings]", jar + ":" + other);
  }

  private void assertInvalid(String words, String classPath) {
    for (String command : new String[] {"worker", "tick", "serve"}) {
      Printed printed = runlane(command, "-cp", classPath);

      assertThat(printed.exitCode()).as(printed.toString()).isEqualTo(1);
      assertThat(printed.err())
          .startsWith("runlane: ")
          .contains(words)
          .endsWith("(configuration_invalid)\n")
          .hasLineCount(1);
    }
  }

  @Test
  void an_application_whose_runtime_fails_or_is_none_is_told_in_one_line() throws Exception {
    String source = Files.readString(UserProgram.GREETINGS);
    Path failing = UserProgram.jar(
        folder,
        source.replace(
            "    PgStorageOptions options",
            "    if (vertx != null) {\n      throw new IllegalStateException(\"no plan\");\n    }\n    PgStorageOptions options"),
        "greetings.Greetings");

    Printed printed = runlane("worker", "-cp", failing.toString());

    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err())
        .contains("greetings.Greetings made no runtime", "no plan")
        .hasLineCount(1);
  }

  @Test
  void what_a_class_path_names_must_be_there() throws Exception {
    Path jars = Files.createDirectory(folder.resolve("lib"));

    assertThat(runlane("worker", "-cp", "missing.jar").err())
        .isEqualTo("runlane: --classpath: there is no missing.jar\n");
    assertThat(runlane("worker", "-cp", jars + "/*").err())
        .isEqualTo("runlane: --classpath: there is no jar in " + jars + "\n");
    assertThat(runlane("tick").exitCode()).isEqualTo(2);
    Files.copy(Path.of(jar), jars.resolve("greetings.jar"));
    Printed pass = runlane("tick", "-cp", jars + "/*");
    assertThat(pass.exitCode()).as(pass.toString()).isZero();
  }

  @Test
  void a_database_that_cannot_be_reached_ends_them_with_5() {
    Map<String, String> nowhere =
        Map.of("RUNLANE_DATABASE", "postgresql://runlane:s3cret@127.0.0.1:1/none");
    for (String[] command :
        new String[][] {{"worker", "-cp", jar}, {"tick", "-cp", jar}, {"serve"}}) {
      Printed printed = Printed.by(nowhere, Terminal.NONE, command);

      assertThat(printed.exitCode()).as(printed.toString()).isEqualTo(5);
      assertThat(printed.err()).hasLineCount(1).doesNotContain("s3cret", "127.0.0.1");
    }
  }
}
