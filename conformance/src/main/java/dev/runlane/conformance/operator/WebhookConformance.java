package dev.runlane.conformance.operator;

import static dev.runlane.conformance.given.TestRuns.cancelled;
import static dev.runlane.conformance.given.TestRuns.failed;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.EMAILS;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.FinishWebhookDeliveries.Outcome;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.run.PruneRuns;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which ends webhooks are told of, and what is left to tell. */
@DisplayName("deliveries of webhooks")
public abstract class WebhookConformance extends OperatorConformance {
  private static final Map<String, String> ACME = Map.of("customer", "acme");

  @Test
  @Rule("operator")
  void each_end_of_a_run_has_a_delivery_and_nothing_else_has() {
    register(NOON, "all", EndFilter.ALL);

    given(succeeded("one"));
    given(failed("two").at(seconds(1)));
    given(cancelled("three").at(seconds(2)));
    given(queued("waiting"));
    given(running("running", minutes(5)));

    assertThat(claim(NEXT_YEAR, "all"))
        .extracting(WebhookDelivery::runId, WebhookDelivery::status, WebhookDelivery::tries)
        .containsExactlyInAnyOrder(
            tuple("one", RunStatus.SUCCEEDED, 1),
            tuple("two", RunStatus.FAILED, 1),
            tuple("three", RunStatus.CANCELLED, 1));
  }

  @Test
  @Rule("operator")
  void a_process_whose_clock_is_behind_takes_no_time_from_a_webhook() {
    register(NOON, "all", EndFilter.ALL);
    register(NOON.minus(Duration.ofDays(6)), "all", EndFilter.ALL);

    given(succeeded("one").at(NOON.plus(Duration.ofDays(5))));

    assertThat(claim(NEXT_YEAR, "all")).extracting(WebhookDelivery::runId).containsExactly("one");
  }

  @Test
  @Rule("operator")
  void only_ends_that_fit_have_a_delivery() {
    register(
        NOON,
        Map.of(
            "failed", new EndFilter(Set.of(RunStatus.FAILED), List.of(), List.of(), Map.of()),
            "task", new EndFilter(Set.of(), List.of(OTHER_TASK), List.of(), Map.of()),
            "queue", new EndFilter(Set.of(), List.of(), List.of("emails"), Map.of()),
            "tag", new EndFilter(Set.of(), List.of(), List.of(), ACME)));

    given(succeeded("plain"));
    given(failed("failed"));
    given(succeeded("task").task(OTHER_TASK));
    given(succeeded("queue").queue(EMAILS));
    given(succeeded("tag").tags(Map.of("customer", "acme", "region", "eu")));
    given(succeeded("other_tag").tags(Map.of("customer", "ace")));

    for (String webhook : List.of("failed", "task", "queue", "tag")) {
      assertThat(claim(NEXT_YEAR, webhook))
          .as(webhook)
          .extracting(WebhookDelivery::runId)
          .containsExactly(webhook);
    }
  }

  @Test
  @Rule("operator")
  void what_ended_before_a_webhook_was_registered_has_no_delivery() {
    given(succeeded("before"));
    register(NOON, "all", EndFilter.ALL);

    assertThat(claim(NEXT_YEAR, "all")).isEmpty();
  }

  @Test
  @Rule("operator")
  void a_delivery_is_given_to_one_until_its_claim_ends() {
    register(NOON, "all", EndFilter.ALL);
    given(succeeded("one"));

    assertThat(claim(minutes(1), "all")).hasSize(1);
    assertThat(claim(minutes(1), "all")).isEmpty();
    assertThat(claim(minutes(1).plusSeconds(59), "all")).isEmpty();
    assertThat(claim(minutes(2), "all")).extracting(WebhookDelivery::tries).containsExactly(2);
  }

  @Test
  @Rule("operator")
  void a_delivery_that_is_done_with_is_gone_and_one_that_failed_is_due_again() {
    register(NOON, "all", EndFilter.ALL);
    given(succeeded("done"));
    given(succeeded("failed"));
    claim(minutes(1), "all");

    finish("token", new Outcome("all", "done", null), new Outcome("all", "failed", minutes(9)));
    finish("token", new Outcome("all", "failed", null)); // its claim has ended

    assertThat(claim(minutes(8), "all")).isEmpty();
    assertThat(claim(minutes(9), "all"))
        .extracting(WebhookDelivery::runId, WebhookDelivery::tries)
        .containsExactly(tuple("failed", 2));
  }

  @Test
  @Rule("operator")
  void who_lost_the_claim_changes_nothing() {
    register(NOON, "all", EndFilter.ALL);
    given(succeeded("one"));
    claim(minutes(1), "all");
    assertThat(claim(ENVIRONMENT, minutes(5), "other", 10, "all")).hasSize(1);

    finish("token", new Outcome("all", "one", null));
    finish("token", new Outcome("all", "one", minutes(5)));

    assertThat(claim(minutes(5), "all")).isEmpty();
    assertThat(claim(minutes(6), "all")).hasSize(1);
  }

  @Test
  @Rule("operator")
  void those_that_are_due_longest_are_claimed_first_and_no_more_than_wanted() {
    register(NOON, "all", EndFilter.ALL);
    for (int i = 0; i < 3; i++) {
      given(succeeded("run_" + i).at(minutes(3 - i)));
    }

    assertThat(claim(ENVIRONMENT, NEXT_YEAR, "token", 2, "all"))
        .extracting(WebhookDelivery::runId)
        .containsExactly("run_2", "run_1");
    assertThat(claim(ENVIRONMENT, NEXT_YEAR, "token", 2, "all"))
        .extracting(WebhookDelivery::runId)
        .containsExactly("run_0");
  }

  @Test
  @Rule("operator")
  void of_many_that_claim_at_once_each_delivery_goes_to_one() {
    register(NOON, "all", EndFilter.ALL);
    for (int i = 0; i < 20; i++) {
      given(succeeded("run_" + i));
    }

    Race.Results<List<WebhookDelivery>> race = race(Race.times(
        8,
        i -> adapter -> adapter
            .operator()
            .orElseThrow()
            .claimWebhookDeliveries(new ClaimWebhookDeliveries(
                ENVIRONMENT, List.of("all"), "token_" + i, minutes(1), MINUTE, 5))));

    assertThat(race.failures()).isEmpty();
    List<String> given = new ArrayList<>();
    race.results().forEach(each -> each.forEach(delivery -> given.add(delivery.runId())));
    assertThat(given).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(20);
  }

  @Test
  @Rule("operator")
  void each_webhook_has_its_own_delivery_and_a_pruned_run_keeps_its_own() {
    register(NOON, Map.of("one", EndFilter.ALL, "two", EndFilter.ALL));
    given(succeeded("run"));
    claim(minutes(1), "one");
    finish("token", new Outcome("one", "run", null));

    done(storage.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), NEXT_YEAR, NEXT_YEAR, null, null)));

    assertThat(claim(minutes(9), "one")).isEmpty();
    assertThat(claim(minutes(9), "two", "one"))
        .extracting(WebhookDelivery::webhookId)
        .containsExactly("two");
  }

  @Test
  @Rule("operator")
  void the_end_of_a_later_run_of_a_pruned_id_replaces_an_end_that_is_left_to_tell() {
    register(NOON, "all", EndFilter.ALL);
    given(succeeded("run"));
    claim(minutes(1), "all");
    done(storage.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), NEXT_YEAR, NEXT_YEAR, null, null)));

    given(failed("run").at(minutes(2)));

    Instant before = minutes(2).minusSeconds(1);
    assertThat(claim(ENVIRONMENT, before, "early", 10, "all")).isEmpty();
    assertThat(claim(ENVIRONMENT, minutes(2), "other", 10, "all"))
        .containsExactly(new WebhookDelivery("all", "run", RunStatus.FAILED, minutes(2), 1));
    finish("token", new Outcome("all", "run", null));
    assertThat(claim(minutes(9), "all")).extracting(WebhookDelivery::tries).containsExactly(2);
  }

  @Test
  @Rule("operator")
  void a_webhook_that_is_registered_again_with_another_filter_has_that() {
    register(NOON, "hook", EndFilter.ALL);
    register(
        minutes(1),
        "hook",
        new EndFilter(Set.of(RunStatus.FAILED), List.of(), List.of(), Map.of()));

    given(succeeded("one").at(minutes(2)));

    assertThat(claim(NEXT_YEAR, "hook")).isEmpty();
  }

  @Test
  @Rule("operator")
  void a_webhook_that_nobody_registers_any_more_gets_nothing_and_is_forgotten() {
    Instant later = NOON.plus(OperatorStore.WEBHOOK_KEPT).plusSeconds(1);
    register(NOON, Map.of("old", EndFilter.ALL, "living", EndFilter.ALL));
    given(succeeded("in_time"));
    register(minutes(5), "living", EndFilter.ALL);

    given(succeeded("too_late").at(later));

    assertThat(claim(ENVIRONMENT, later.plusSeconds(60), "token", 10, "old"))
        .extracting(WebhookDelivery::runId)
        .containsExactly("in_time");
    assertThat(claim(later.plusSeconds(60), "living"))
        .extracting(WebhookDelivery::runId)
        .contains("too_late");
    register(later, "living", EndFilter.ALL);
    assertThat(claim(NEXT_YEAR, "old")).isEmpty();
    register(later.plusSeconds(60), "living", EndFilter.ALL);
    register(later.plusSeconds(61), "old", EndFilter.ALL);
    given(succeeded("again").at(later.plusSeconds(90)));
    assertThat(claim(NEXT_YEAR, "old")).extracting(WebhookDelivery::runId).containsExactly("again");
  }

  @Test
  @Rule("operator")
  void the_last_webhook_is_forgotten_by_those_who_register_none() {
    Instant later = NOON.plus(OperatorStore.WEBHOOK_KEPT).plusSeconds(1);
    register(NOON, "old", EndFilter.ALL);
    given(succeeded("in_time"));

    register(minutes(1), Map.of());
    assertThat(claim(minutes(1), "old")).hasSize(1);
    register(later, Map.of());
    register(later.plusSeconds(60), Map.of());

    assertThat(claim(NEXT_YEAR, "old")).isEmpty();
    register(later.plusSeconds(61), "old", EndFilter.ALL);
    given(succeeded("again").at(later.plusSeconds(90)));
    assertThat(claim(NEXT_YEAR, "old")).extracting(WebhookDelivery::runId).containsExactly("again");
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_webhooks() {
    register(NOON, "all", EndFilter.ALL);
    given(succeeded("elsewhere").environment(OTHER_ENVIRONMENT));

    assertThat(claim(NEXT_YEAR, "all")).isEmpty();
    assertThat(claim(OTHER_ENVIRONMENT, NEXT_YEAR, "token", 10, "all")).isEmpty();
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_commands_are_refused() {
    for (EndFilter malformed : List.of(
        new EndFilter(Set.of(RunStatus.RUNNING), List.of(), List.of(), Map.of()),
        new EndFilter(Set.of(), List.of(""), List.of(), Map.of()),
        new EndFilter(Set.of(), List.of(), List.of("a:b"), Map.of()),
        new EndFilter(Set.of(), List.of(), List.of(), Map.of("", "x")))) {
      assertFails(
          operator.registerWebhooks(
              new RegisterWebhooks(ENVIRONMENT, Map.of("hook", malformed), NOON)),
          ErrorCode.VALIDATION_FAILED);
    }
    assertFails(
        operator.registerWebhooks(
            new RegisterWebhooks(ENVIRONMENT, Map.of("a:b", EndFilter.ALL), NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.claimWebhookDeliveries(
            new ClaimWebhookDeliveries(ENVIRONMENT, List.of("all"), "token", NOON, MINUTE, 0)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.claimWebhookDeliveries(
            new ClaimWebhookDeliveries(ENVIRONMENT, List.of("all"), "", NOON, MINUTE, 1)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.finishWebhookDeliveries(new FinishWebhookDeliveries(
            ENVIRONMENT, "token", List.of(new Outcome("", "run", null)))),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.finishWebhookDeliveries(new FinishWebhookDeliveries(
            ENVIRONMENT,
            "token",
            List.of(new Outcome("all", "run", null), new Outcome("all", "run", NOON)))),
        ErrorCode.VALIDATION_FAILED);
  }

  private void register(Instant now, String webhookId, EndFilter filter) {
    register(now, Map.of(webhookId, filter));
  }

  private void register(Instant now, Map<String, EndFilter> webhooks) {
    done(operator.registerWebhooks(new RegisterWebhooks(ENVIRONMENT, webhooks, now)));
  }

  private List<WebhookDelivery> claim(Instant now, String... webhookIds) {
    return claim(ENVIRONMENT, now, "token", 100, webhookIds);
  }

  private List<WebhookDelivery> claim(
      Environment environment, Instant now, String token, int limit, String... webhookIds) {
    return done(operator.claimWebhookDeliveries(
        new ClaimWebhookDeliveries(environment, List.of(webhookIds), token, now, MINUTE, limit)));
  }

  private void finish(String token, Outcome... outcomes) {
    done(operator.finishWebhookDeliveries(
        new FinishWebhookDeliveries(ENVIRONMENT, token, List.of(outcomes))));
  }
}
