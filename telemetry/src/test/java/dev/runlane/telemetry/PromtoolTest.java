package dev.runlane.telemetry;

import static java.nio.charset.StandardCharsets.UTF_8;
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
    assertThat(said.text()).contains("SUCCESS: 24 rules found");
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
    String tests = """
        rule_files:
          - %s
        tests:
          - name: nobody shows them
            input_series: []
            promql_expr_test:
              - expr: count(ALERTS{alertname="RunlaneDepthsOld", alertstate="firing"})
                eval_time: 6m
                exp_samples:
                  - labels: "{}"
                    value: 1
          - name: they are counted
            input_series:
              - series: runlane_depths_age_seconds{instance="one"}
                values: 20x10
            alert_rule_test:
              - alertname: RunlaneDepthsOld
                eval_time: 6m
        """.formatted(DASHBOARDS.resolve("alerts.yml"));

    Said said = promtool(
        "",
        "test",
        "rules",
        Files.writeString(folder.resolve("tests.yml"), tests).toString());

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
