package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.console.ConsoleOptions;
import dev.runlane.console.OperatorConsole;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.runtime.alert.AlertKind;
import dev.runlane.runtime.alert.AlertRule;
import dev.runlane.runtime.task.RunActionOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("runlane alerts")
@DisplayNameGeneration(ReplaceUnderscores.class)
class AlertsTest {
  private OperatedFleet fleet;
  private OperatorConsole console;
  private String url;

  @BeforeEach
  void start() {
    fleet = OperatedFleet.onEmptied();
    console = OperatorConsole.create(fleet.vertx, fleet.worker, new ConsoleOptions().setPort(0));
    url = "http://127.0.0.1:" + await(console.start());
    await(fleet
        .worker
        .alerts()
        .putRule(
            AlertRule.of("late", AlertKind.OLDEST_DUE, 60, List.of("ops")),
            null,
            RunActionOptions.by("ada")));
    found("late", "queue mails waits");
    found("dead", "2 wakeups were given up");
    found("dead"); // and none any more
  }

  @AfterEach
  void end() {
    await(console.close());
    fleet.close();
  }

  private void found(String rule, String... texts) {
    List<AlertFinding> findings = List.of(texts).stream()
        .map(text -> new AlertFinding("alert-" + rule, "mails", text))
        .toList();
    await(fleet
        .worker
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .observeAlerts(new ObserveAlerts(
            fleet.worker.environment(), rule, findings, List.of("ops"), Instant.now())));
  }

  private Printed remote(String... arguments) {
    return Printed.by(Map.of("RUNLANE_URL", url), Terminal.NONE, arguments);
  }

  private Instant silentUntil() {
    return await(fleet.worker.alerts().rules()).get(0).rule().silencedUntil();
  }

  @Test
  void are_listed_by_state_and_rule_from_the_database_as_over_the_api() {
    JsonNode all = fleet.json("alerts", "list");

    assertThat(all.path("data").findValuesAsText("ruleId")).containsExactly("dead", "late");
    assertThat(
            fleet.json("alerts", "list", "--state", "open").path("data").findValuesAsText("text"))
        .containsExactly("queue mails waits");
    assertThat(
            fleet.json("alerts", "list", "-s", "resolved").path("data").findValuesAsText("ruleId"))
        .containsExactly("dead");
    assertThat(fleet.runlane("alerts", "list", "--rule", "late").out())
        .containsPattern("OPENED +RULE +STATE +UNTOLD +SUBJECT +TEXT")
        .containsPattern("late +open +1 +mails +queue mails waits");
    assertThat(fleet.runlane("alerts", "list", "--rule", "none").err())
        .isEqualTo("No alert fits.\n");
    assertThat(fleet.runlane("alerts", "list", "--state", "lost").exitCode()).isEqualTo(2);
    assertThat(remote("alerts", "list", "--json").out()).isEqualTo(all + "\n");
    assertThat(fleet.runlane("alerts", "list", "-n", "1").out()).contains("More: --cursor ");
  }

  @Test
  void a_rule_is_silenced_for_a_time_or_until_an_instant_and_told_of_again() {
    assertThat(fleet.runlane("alerts", "silence", "late", "--for", "2h", "--reason", "we know"))
        .isEqualTo(new Printed(0, "Rule late is silent for 2h\n", ""));
    assertThat(silentUntil())
        .isBetween(
            Instant.now().plus(Duration.ofMinutes(110)), Instant.now().plus(Duration.ofHours(2)));
    assertThat(fleet.json("alerts", "unsilence", "late").path("version").asLong())
        .isEqualTo(3);
    assertThat(silentUntil()).isNull();
    String[] until = {
      "alerts", "silence", "late", "--until", "2100-01-01T00:00:00Z", "--reason", "for good"
    };
    assertThat(remote(until).out()).isEqualTo("Rule late is silent until 2100-01-01T00:00:00Z\n");
    assertThat(silentUntil()).isEqualTo("2100-01-01T00:00:00Z");
    assertThat(remote("alerts", "unsilence", "late", "--reason", "go on").exitCode())
        .isZero();
    assertThat(
            remote("alerts", "silence", "late", "--for", "30m", "--reason", "x").exitCode())
        .isZero();

    JsonNode actions = fleet.json("actions", "list").path("data");
    assertThat(actions.findValuesAsText("action"))
        .containsExactly(
            "alert_rule.silence",
            "alert_rule.unsilence",
            "alert_rule.silence",
            "alert_rule.unsilence",
            "alert_rule.silence",
            "alert_rule.put");
    assertThat(actions.get(4).path("reason").asText()).isEqualTo("we know");
  }

  @Test
  void a_rule_that_is_not_there_and_a_time_that_is_none_are_refused() {
    String[] unknown = {"alerts", "silence", "none", "--for", "2h", "--reason", "x"};
    assertThat(fleet.runlane(unknown).exitCode()).isEqualTo(4);
    assertThat(remote(unknown).exitCode()).isEqualTo(4);
    assertThat(remote(unknown).err()).contains("there is no alert rule none");
    assertThat(remote("alerts", "silence", "late", "--for", "2h").err()).contains("--reason");
    assertThat(fleet.runlane("alerts", "silence", "late").exitCode()).isEqualTo(2);
    assertThat(fleet.runlane("alerts", "silence", "late", "--until", "tomorrow").exitCode())
        .isEqualTo(2);
    assertThat(fleet.runlane("alerts", "silence", "late", "--for", "400d").err())
        .contains("(validation_failed)");
    assertThat(silentUntil()).isNull();
  }
}
