package dev.runlane.telemetry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus's own tool says of the alerts, of the dashboard's expressions and of a scrape. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PromtoolTest {
  private static final Path DASHBOARDS = Path.of("dashboards").toAbsolutePath();

  @TempDir
  private Path folder;

  private record Said(int exitCode, String text) {}

  @BeforeEach
  void is_installed() {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(path -> Files.isExecutable(Path.of(path, "promtool"))),
        "promtool is not installed");
  }

  private Said promtool(String input, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    Path given = Files.writeString(folder.resolve("given"), input);
    Process process = new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectInput(given.toFile())
        .redirectErrorStream(true)
        .start();
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Said(process.waitFor(), text);
  }

  private Said rules(Path file) throws Exception {
    return promtool("", "check", "rules", file.toString());
  }

  @Test
  void takes_every_alert() throws Exception {
    Said said = rules(DASHBOARDS.resolve("alerts.yml"));

    assertThat(said.exitCode()).as(said.text()).isZero();
    assertThat(said.text()).contains("SUCCESS: 27 rules found");
  }

  @Test
  void takes_every_expression_of_the_dashboard() throws Exception {
    List<String> expressions = expressions();
    StringBuilder rules = new StringBuilder("groups:\n- name: dashboard\n  rules:\n");
    for (int index = 0; index < expressions.size(); index++) {
      String expression = expressions.get(index).replace("$__rate_interval", "5m");
      rules.append(
          "  - record: panel:%s\n    expr: '%s'\n".formatted(index, expression.replace("'", "''")));
    }

    Said said = rules(Files.writeString(folder.resolve("dashboard.yml"), rules));

    assertThat(expressions).hasSizeGreaterThan(15);
    assertThat(said.exitCode()).as(said.text()).isZero();
  }

  private static List<String> expressions() throws IOException {
    JsonArray panels =
        new JsonObject(Files.readString(DASHBOARDS.resolve("runlane.json"))).getJsonArray("panels");
    List<String> expressions = new ArrayList<>();
    for (int index = 0; index < panels.size(); index++) {
      JsonArray targets = panels.getJsonObject(index).getJsonArray("targets", new JsonArray());
      for (int target = 0; target < targets.size(); target++) {
        expressions.add(targets.getJsonObject(target).getString("expr"));
      }
    }
    return expressions;
  }

  @Test
  void lets_depths_that_nobody_shows_be_an_alert() throws Exception {
    assertAlerts("""
          - name: nobody shows them
            interval: 1m
            input_series: []
            promql_expr_test:
              - expr: count(ALERTS{alertname="RunlaneDepthsOld", alertstate="firing"})
                eval_time: 10m
                exp_samples:
                  - labels: "{}"
                    value: 1
          - name: they are counted
            interval: 1m
            input_series:
              - series: runlane_depths_age_seconds{instance="one"}
                values: 20x20
            alert_rule_test:
              - alertname: RunlaneDepthsOld
                eval_time: 10m
        """);
  }

  /** A process of the release before says so where nobody has counted. */
  @Test
  void takes_an_age_that_is_no_number_for_depths_that_nobody_shows() throws Exception {
    assertAlerts("""
          - name: nobody has counted
            interval: 1m
            input_series:
              - series: runlane_depths_age_seconds{instance="one"}
                values: NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN
            promql_expr_test:
              - expr: count(ALERTS{alertname="RunlaneDepthsOld", alertstate="firing"})
                eval_time: 10m
                exp_samples:
                  - labels: "{}"
                    value: 1
          - name: another process tells it
            interval: 1m
            input_series:
              - series: runlane_depths_age_seconds{instance="one"}
                values: NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN
              - series: runlane_depths_age_seconds{instance="two"}
                values: 20x20
            alert_rule_test:
              - alertname: RunlaneDepthsOld
                eval_time: 10m
        """);
  }

  @Test
  void lets_a_task_be_an_alert_that_runs_once_a_night_and_fails() throws Exception {
    String ended = "runlane_runs_ended_total{messaging_destination_name=\"default\",";
    assertAlerts("""
          - name: it fails in the 25th hour, and another one in one of many hours
            interval: 5m
            input_series:
              - series: %1$srunlane_task="nightly",runlane_outcome="failed"}
                values: _x300 1x300
              - series: %1$srunlane_task="hourly",runlane_outcome="failed"}
                values: 0x300 1x300
              - series: %1$srunlane_task="hourly",runlane_outcome="succeeded"}
                values: 0+1x604
            promql_expr_test:
              - expr: count by (runlane_task) (ALERTS{alertname="RunlaneTaskFails", alertstate="firing"})
                eval_time: 1520m
                exp_samples: &nightly
                  - labels: '{runlane_task="nightly"}'
                    value: 1
              - expr: count by (runlane_task) (ALERTS{alertname="RunlaneTaskFails", alertstate="firing"})
                eval_time: 2900m
                exp_samples: *nightly
              - expr: count by (runlane_task) (ALERTS{alertname="RunlaneTaskFails"})
                eval_time: 3020m
        """.formatted(ended));
  }

  @Test
  void lets_what_a_process_counts_first_be_an_alert_for_an_hour() throws Exception {
    assertAlerts("""
          - name: series begin with it
            interval: 1m
            input_series:
              - series: runlane_depths_age_seconds{instance="one"}
                values: 20x200
              - series: runlane_wakeups_deadlettered_total{messaging_destination_name="q",error_type="e"}
                values: _x90 1x120
              - series: runlane_kafka_deadletters_total{messaging_destination_name="q",runlane_topic="t"}
                values: _x90 1x120
              - series: runlane_connector_records_total{runlane_connector="c",runlane_outcome="rejected"}
                values: _x90 5x120
              - series: runlane_connector_runs_ended_total{runlane_connector="c",error_type="e",runlane_outcome="failed"}
                values: _x90 3x120
            promql_expr_test:
              - expr: count by (alertname) (ALERTS{alertstate="firing"})
                eval_time: 140m
                exp_samples:
                  - labels: '{alertname="RunlaneWakeupsGivenUp"}'
                    value: 1
                  - labels: '{alertname="RunlaneKafkaDeadLetters"}'
                    value: 1
                  - labels: '{alertname="RunlaneConnectorRecordsRejected"}'
                    value: 1
                  - labels: '{alertname="RunlaneConnectorsFail"}'
                    value: 1
              - expr: count by (alertname) (ALERTS{alertstate="firing"})
                eval_time: 155m
        """);
  }

  @Test
  void lets_jobs_be_an_alert_that_wait_where_none_begins() throws Exception {
    String jobs = "runlane_job_queue_jobs{runlane_state=\"waiting\",messaging_destination_name=";
    String started =
        "runlane_job_attempts_started_total{runlane_job=\"j\",messaging_destination_name=";
    assertAlerts("""
          - name: the workers of one queue are gone, those of another have just begun with their first
            interval: 1m
            input_series:
              - series: %1$s"mails"}
                values: 3x60
              - series: %1$s"prints"}
                values: 3x60
              - series: %1$s"empty"}
                values: 0x60
              - series: runlane_job_depths_age_seconds
                values: 20x60
              - series: %2$s"mails"}
                values: 7 8 9x3 _x60
              - series: %2$s"prints"}
                values: _x20 1x50
            promql_expr_test:
              - expr: count by (messaging_destination_name) (ALERTS{alertname="RunlaneJobsStuck", alertstate="firing"})
                eval_time: 35m
                exp_samples:
                  - labels: '{messaging_destination_name="mails"}'
                    value: 1
        """.formatted(jobs, started));
  }

  @Test
  void lets_attempts_be_an_alert_that_were_lost_before_any_other() throws Exception {
    assertAlerts("""
          - name: a worker is killed with all it has, and its queue and task had lost none before
            interval: 1m
            input_series:
              - series: runlane_attempts_ended_total{messaging_destination_name="q",runlane_task="t",runlane_outcome="lost"}
                values: _x20 16x40
            promql_expr_test:
              - expr: count by (runlane_task) (ALERTS{alertname="RunlaneAttemptsLost", alertstate="firing"})
                eval_time: 32m
                exp_samples:
                  - labels: '{runlane_task="t"}'
                    value: 1
              - expr: count by (runlane_task) (ALERTS{alertname="RunlaneAttemptsLost"})
                eval_time: 45m
        """);
  }

  @Test
  void takes_the_first_run_of_a_worker_for_one_that_begins() throws Exception {
    String triggered = "runlane_runs_triggered_total{messaging_destination_name=";
    String workers =
        IntStream.rangeClosed(1, 11).mapToObj(worker -> """
                  - series: runlane_attempts_started_total{messaging_destination_name="mails",instance="w%1$d"}
                    values: _x%1$d 1x12
            """.formatted(worker)).collect(joining());
    assertAlerts("""
          - name: each run of one queue goes to a worker that has had none of it, of another queue none begins
            interval: 5m
            input_series:
              - series: %1$s"mails"}
                values: 1+1x12
              - series: %1$s"prints"}
                values: 1+1x12
        %2$s    promql_expr_test:
              - expr: count by (messaging_destination_name) (ALERTS{alertname="RunlaneNothingBegins", alertstate="firing"})
                eval_time: 55m
                exp_samples:
                  - labels: '{messaging_destination_name="prints"}'
                    value: 1
        """.formatted(triggered, workers));
  }

  @Test
  void takes_no_depths_of_a_process_that_is_cut_off_from_its_database() throws Exception {
    assertAlerts("""
          - name: one shows the past, another one what there is
            interval: 1m
            input_series:
              - series: runlane_depths_age_seconds{job="j",instance="cut off"}
                values: 20+60x60
              - series: runlane_queue_oldest_age_seconds{job="j",instance="cut off",messaging_destination_name="q"}
                values: 400x60
              - series: runlane_outbox_oldest_age_seconds{job="j",instance="cut off"}
                values: 400x60
              - series: runlane_outbox_messages{job="j",instance="cut off",runlane_state="dead_lettered"}
                values: 3x60
              - series: runlane_steps_oldest_age_seconds{job="j",instance="cut off",runlane_group="g"}
                values: 700x60
              - series: runlane_job_depths_age_seconds{job="j",instance="cut off"}
                values: 20+60x60
              - series: runlane_job_queue_jobs{job="j",instance="cut off",runlane_state="waiting",messaging_destination_name="q"}
                values: 3x60
              - series: runlane_depths_age_seconds{job="j",instance="well"}
                values: 20x60
              - series: runlane_job_depths_age_seconds{job="j",instance="well"}
                values: 20x60
              - series: runlane_outbox_oldest_age_seconds{job="j",instance="well"}
                values: 1x60
            promql_expr_test:
              - expr: count(ALERTS{alertstate="firing"})
                eval_time: 30m
          - name: what waits is shown by one that reaches it
            interval: 1m
            input_series:
              - series: runlane_depths_age_seconds{job="j",instance="well"}
                values: 20x60
              - series: runlane_queue_oldest_age_seconds{job="j",instance="well",messaging_destination_name="q"}
                values: 400x60
              - series: runlane_outbox_oldest_age_seconds{job="j",instance="well"}
                values: 400x60
              - series: runlane_outbox_messages{job="j",instance="well",runlane_state="dead_lettered"}
                values: 3x60
              - series: runlane_steps_oldest_age_seconds{job="j",instance="well",runlane_group="g"}
                values: 700x60
            promql_expr_test:
              - expr: count(ALERTS{alertstate="firing"})
                eval_time: 30m
                exp_samples:
                  - labels: "{}"
                    value: 4
          - name: nobody reaches it
            interval: 1m
            input_series:
              - series: runlane_depths_age_seconds{job="j",instance="cut off"}
                values: 20+60x60
              - series: runlane_queue_oldest_age_seconds{job="j",instance="cut off",messaging_destination_name="q"}
                values: 400x60
            promql_expr_test:
              - expr: count by (alertname) (ALERTS{alertstate="firing"})
                eval_time: 30m
                exp_samples:
                  - labels: '{alertname="RunlaneDepthsOld"}'
                    value: 1
        """);
  }

  private void assertAlerts(String tests) throws Exception {
    String all = "evaluation_interval: 5m\nrule_files:\n  - " + DASHBOARDS.resolve("alerts.yml")
        + "\ntests:\n" + tests;

    Said said = promtool(
        "", "test", "rules", Files.writeString(folder.resolve("tests.yml"), all).toString());

    assertThat(said.exitCode()).as(said.text()).isZero();
  }

  @Test
  void refuses_an_alert_with_an_expression_that_is_none() throws Exception {
    String broken = Files.readString(DASHBOARDS.resolve("alerts.yml"))
        .replaceFirst("(?m)^( +expr: ).*$", "$1sum by (le");

    assertThat(rules(Files.writeString(folder.resolve("broken.yml"), broken)).exitCode())
        .isNotZero();
  }

  @Test
  void reads_the_scrape_of_a_loaded_system() throws Exception {
    for (String scrape : LoadedSystem.scrapes()) {
      Said said = promtool(scrape, "check", "metrics");

      assertThat(said.text()).doesNotContain("error while linting");
      assertThat(said.exitCode())
          .as(said.text())
          .isIn(0, 3); // 3: a name that its linter would not choose
    }
  }
}
