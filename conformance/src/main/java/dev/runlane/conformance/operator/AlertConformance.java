package dev.runlane.conformance.operator;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.kit.LongTexts;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertChange;
import dev.runlane.operator.alert.AlertDelivery;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ClaimAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries.Outcome;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.read.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Alerts, their history, and who is to be told. */
@DisplayName("alerts")
public abstract class AlertConformance extends OperatorConformance {
  private static final List<String> PAGER = List.of("pager");
  private static final int LONGEST = AlertFinding.MOST_SUBJECT_BYTES / 4; // characters of a subject

  @Test
  @Rule("operator")
  void an_alert_is_open_from_when_it_is_found_first_to_when_it_is_found_no_more() {
    observe("rule", NOON, List.of(), finding("one", "mail"), finding("two", "orders"));
    observe("rule", minutes(1), List.of(), finding("three", "mail"));
    observe("rule", minutes(2), List.of());

    assertThat(list(null, null))
        .containsExactly(
            new Alert("two", "rule", "orders", "text of two", NOON, NOON, minutes(1), 0),
            new Alert("one", "rule", "mail", "text of three", NOON, minutes(1), minutes(2), 0));
  }

  @Test
  @Rule("operator")
  void what_is_found_again_after_it_was_resolved_is_another_alert() {
    observe("rule", NOON, List.of(), finding("one", "mail"));
    observe("rule", minutes(1), List.of());
    observe("rule", minutes(2), List.of(), finding("two", "mail"));

    assertThat(list(null, true)).extracting(Alert::id).containsExactly("two");
    assertThat(list(null, false)).extracting(Alert::id).containsExactly("one");
  }

  @Test
  @Rule("operator")
  void a_process_whose_clock_is_behind_takes_no_time_from_an_alert() {
    observe("rule", minutes(5), List.of(), finding("one", "mail"));
    observe("rule", minutes(1), List.of(), finding("two", "mail"));
    assertThat(list(null, null)).extracting(Alert::lastSeenAt).containsExactly(minutes(5));

    observe("rule", minutes(2), List.of());

    assertThat(list(null, null))
        .containsExactly(
            new Alert("one", "rule", "mail", "text of two", minutes(5), minutes(5), minutes(5), 0));
  }

  @Test
  @Rule("operator")
  void an_id_that_an_alert_has_already_opens_no_other_and_the_rest_is_observed() {
    observe("rule", NOON, PAGER, finding("one", "mail"));
    observe("rule", minutes(1), PAGER);

    observe("rule", NOON, PAGER, finding("one", "mail"));
    observe("other", minutes(2), PAGER, finding("one", "orders"), finding("two", "bills"));
    observe("other", minutes(3), PAGER, finding("one", "bills"));

    assertThat(list(null, null))
        .containsExactly(
            new Alert("two", "other", "bills", "text of one", minutes(2), minutes(3), null, 1),
            new Alert("one", "rule", "mail", "text of one", NOON, NOON, minutes(1), 2));
  }

  @Test
  @Rule("operator")
  void rules_and_environments_have_their_own_alerts() {
    observe("rule", NOON, List.of(), finding("one", "mail"));
    observe("other", NOON, List.of(), finding("two", "mail"));
    observe("rule", minutes(1), List.of());

    assertThat(list("other", null))
        .extracting(Alert::id, Alert::isOpen)
        .containsExactly(tuple("two", true));
    assertThat(list("rule", null))
        .extracting(Alert::id, Alert::isOpen)
        .containsExactly(tuple("one", false));
    assertThat(done(operator.listAlerts(new ListAlerts(OTHER_ENVIRONMENT, null, null, null, null)))
            .data())
        .isEmpty();
  }

  @Test
  @Rule("operator")
  void a_channel_is_told_once_of_each_change() {
    observe("rule", NOON, PAGER, finding("one", "mail"));
    assertThat(list(null, null)).extracting(Alert::untold).containsExactly(1);
    assertThat(claim(NOON, "pager"))
        .extracting(each -> each.alert().id(), AlertDelivery::change, AlertDelivery::tries)
        .containsExactly(tuple("one", AlertChange.OPENED, 1));
    finish("token", new Outcome("one", "pager", AlertChange.OPENED, null));

    observe("rule", minutes(1), PAGER, finding("two", "mail"));
    assertThat(claim(NEXT_YEAR, "pager")).isEmpty();
    assertThat(list(null, null)).extracting(Alert::untold).containsExactly(0);

    observe("rule", minutes(2), List.of());
    assertThat(claim(NEXT_YEAR, "pager"))
        .extracting(each -> each.alert().resolvedAt(), AlertDelivery::change)
        .containsExactly(tuple(minutes(2), AlertChange.RESOLVED));
  }

  @Test
  @Rule("operator")
  void who_was_not_told_that_an_alert_is_open_is_not_told_of_its_end_and_may_be_told_late() {
    observe("silent", NOON, List.of(), finding("one", "mail"));
    observe("silent", minutes(1), List.of());
    observe("late", NOON, List.of(), finding("two", "mail"));
    observe("late", minutes(1), PAGER, finding("three", "mail"));

    assertThat(claim(NEXT_YEAR, "pager"))
        .extracting(each -> each.alert().id(), AlertDelivery::change)
        .containsExactly(tuple("two", AlertChange.OPENED));
  }

  @Test
  @Rule("operator")
  void a_delivery_is_given_to_one_until_its_claim_ends_and_is_due_again_after_a_failure() {
    observe("rule", NOON, PAGER, finding("one", "mail"));

    assertThat(claim(NOON.minusSeconds(1), "pager")).isEmpty();
    assertThat(claim(NOON, "other")).isEmpty();
    assertThat(claim(NOON, "pager")).hasSize(1);
    assertThat(claim(NOON.plusSeconds(59), "pager")).isEmpty();
    assertThat(claim(minutes(1), "pager")).extracting(AlertDelivery::tries).containsExactly(2);

    finish("token", new Outcome("one", "pager", AlertChange.OPENED, minutes(3)));
    assertThat(claim(minutes(2), "pager")).isEmpty();
    assertThat(claim(minutes(3), "pager")).extracting(AlertDelivery::tries).containsExactly(3);
  }

  @Test
  @Rule("operator")
  void claims_and_retries_of_deliveries_are_cut_to_microseconds() {
    observe("rule", NOON, PAGER, finding("one", "mail"));
    done(operator.claimAlertDeliveries(
        new ClaimAlertDeliveries(ENVIRONMENT, PAGER, "token", NOON, MINUTE.plusNanos(999), 1)));

    assertThat(claim(minutes(1), "pager")).extracting(AlertDelivery::tries).containsExactly(2);
    Instant retryAt = minutes(3).plusNanos(999);
    finish("token", new Outcome("one", "pager", AlertChange.OPENED, retryAt));
    assertThat(claim(minutes(3), "pager")).extracting(AlertDelivery::tries).containsExactly(3);
  }

  @Test
  @Rule("operator")
  void who_lost_the_claim_of_a_delivery_changes_nothing() {
    observe("rule", NOON, PAGER, finding("one", "mail"));
    claim(NOON, "pager");

    finish("another", new Outcome("one", "pager", AlertChange.OPENED, null));

    assertThat(claim(minutes(1), "pager")).hasSize(1);
  }

  @Test
  @Rule("operator")
  void a_channel_is_told_that_an_alert_is_resolved_after_it_was_told_that_it_is_open() {
    observe("rule", NOON, List.of("pager", "mail"), finding("one", "mail"));
    assertThat(claim(NOON, "pager")).hasSize(1);
    finish("token", new Outcome("one", "pager", AlertChange.OPENED, minutes(30)));
    assertThat(claim(NOON, "mail")).hasSize(1);
    finish("token", new Outcome("one", "mail", AlertChange.OPENED, null));

    observe("rule", minutes(1), List.of());

    assertThat(claim(minutes(1), "pager")).isEmpty();
    assertThat(claim(minutes(1), "mail"))
        .extracting(AlertDelivery::change)
        .containsExactly(AlertChange.RESOLVED);
    assertThat(claim(minutes(30), "pager"))
        .extracting(AlertDelivery::change)
        .containsExactly(AlertChange.OPENED);
    finish("token", new Outcome("one", "pager", AlertChange.OPENED, null));
    assertThat(claim(minutes(30), "pager"))
        .extracting(AlertDelivery::change)
        .containsExactly(AlertChange.RESOLVED);
  }

  @Test
  @Rule("operator")
  void deliveries_that_are_due_longest_are_claimed_first_and_no_more_than_wanted() {
    observe("b", minutes(1), PAGER, finding("two", "mail"));
    observe("a", NOON, PAGER, finding("one", "mail"));

    assertThat(claim(minutes(2), 1)).extracting(each -> each.alert().id()).containsExactly("one");
    assertThat(claim(minutes(2), 9)).extracting(each -> each.alert().id()).containsExactly("two");
  }

  @Test
  @Rule("operator")
  void deliveries_of_one_alert_are_claimed_each_by_when_it_is_due() {
    observe("rule", NOON, List.of("pager", "mail"), finding("one", "mail"));
    observe("other", minutes(1), PAGER, finding("two", "mail"));
    claim(NOON, "pager");
    finish("token", new Outcome("one", "pager", AlertChange.OPENED, minutes(3)));

    assertThat(done(operator.claimAlertDeliveries(new ClaimAlertDeliveries(
            ENVIRONMENT, List.of("pager", "mail"), "token", minutes(3), MINUTE, 9))))
        .extracting(each -> each.alert().id(), AlertDelivery::channel)
        .containsExactly(tuple("one", "mail"), tuple("two", "pager"), tuple("one", "pager"));
  }

  @Test
  @Rule("operator")
  void of_many_that_tell_and_claim_at_once_an_alert_opens_once_and_each_delivery_goes_to_one() {
    Race.Results<Void> told = race(Race.times(
        8,
        i -> adapter -> adapter
            .operator()
            .orElseThrow()
            .observeAlerts(new ObserveAlerts(
                ENVIRONMENT,
                "rule",
                List.of(finding("alert_" + i, "mail"), finding("other_" + i, "orders")),
                PAGER,
                NOON))));

    assertThat(told.failures()).isEmpty();
    assertThat(list(null, null)).hasSize(2);
    Race.Results<List<AlertDelivery>> claimed = race(Race.times(
        8,
        i -> adapter -> adapter
            .operator()
            .orElseThrow()
            .claimAlertDeliveries(
                new ClaimAlertDeliveries(ENVIRONMENT, PAGER, "token_" + i, NOON, MINUTE, 10))));
    assertThat(claimed.failures()).isEmpty();
    assertThat(claimed.results().stream().flatMap(List::stream).map(each -> each.alert()
            .id()))
        .hasSize(2)
        .doesNotHaveDuplicates();
  }

  @Test
  @Rule("operator")
  void alerts_are_listed_latest_first_in_pages_and_forgotten_long_after_they_were_resolved() {
    for (int i = 0; i < 3; i++) {
      observe("rule_" + i, minutes(i), PAGER, finding("alert_" + i, "mail"));
    }
    assertThat(pages(
            cursor -> operator.listAlerts(new ListAlerts(ENVIRONMENT, null, null, 2, cursor))))
        .extracting(page -> page.stream().map(Alert::id).toList())
        .containsExactly(List.of("alert_2", "alert_1"), List.of("alert_0"));

    observe("rule_0", minutes(5), List.of());
    Instant kept = minutes(5).plus(Duration.ofDays(30));
    observe("rule_1", kept, List.of(), finding("again", "mail"));
    assertThat(list(null, null)).hasSize(3);

    observe("rule_1", kept.plusSeconds(1), List.of(), finding("again", "mail"));
    assertThat(list(null, null)).extracting(Alert::id).containsExactly("alert_2", "alert_1");
    assertThat(claim(NEXT_YEAR, "pager"))
        .extracting(each -> each.alert().id())
        .doesNotContain("alert_0");
  }

  @Test
  @Rule("operator")
  void a_page_without_a_limit_has_the_default_and_a_greater_one_is_cut_to_the_maximum() {
    observe(
        "rule",
        NOON,
        List.of(),
        IntStream.rangeClosed(0, ContractDefaults.MAX_PAGE_LIMIT)
            .mapToObj(i -> finding("alert_" + i, "subject " + i))
            .toArray(AlertFinding[]::new));

    assertThat(page(null).data()).hasSize(ContractDefaults.PAGE_LIMIT);
    assertThat(page(Integer.MAX_VALUE).data()).hasSize(ContractDefaults.MAX_PAGE_LIMIT);
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_alerts_are_refused() {
    List<AlertFinding> twice = List.of(finding("one", "mail"), finding("two", "mail"));
    List<AlertFinding> oneId = List.of(finding("one", "mail"), finding("one", "orders"));
    for (ObserveAlerts malformed : List.of(
        new ObserveAlerts(ENVIRONMENT, "", List.of(), PAGER, NOON),
        new ObserveAlerts(ENVIRONMENT, "rule", twice, PAGER, NOON),
        new ObserveAlerts(ENVIRONMENT, "rule", oneId, PAGER, NOON),
        new ObserveAlerts(ENVIRONMENT, "rule", List.of(), List.of("a:b"), NOON),
        new ObserveAlerts(
            ENVIRONMENT, "rule", List.of(new AlertFinding("", "mail", "x")), PAGER, NOON),
        new ObserveAlerts(
            ENVIRONMENT,
            "rule",
            List.of(finding("one", LongTexts.of(LONGEST + 1, 1))),
            PAGER,
            NOON))) {
      assertFails(operator.observeAlerts(malformed), ErrorCode.VALIDATION_FAILED);
    }
    assertFails(
        operator.claimAlertDeliveries(
            new ClaimAlertDeliveries(ENVIRONMENT, PAGER, "token", NOON, MINUTE, 0)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.finishAlertDeliveries(new FinishAlertDeliveries(
            ENVIRONMENT, "token", List.of(new Outcome("", "pager", AlertChange.OPENED, null)))),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.finishAlertDeliveries(new FinishAlertDeliveries(
            ENVIRONMENT,
            "token",
            List.of(
                new Outcome("one", "pager", AlertChange.OPENED, null),
                new Outcome("one", "pager", AlertChange.OPENED, NOON)))),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listAlerts(new ListAlerts(ENVIRONMENT, "", null, null, null)),
        ErrorCode.VALIDATION_FAILED);
  }

  @Test
  @Rule({"operator", "limits"})
  void the_longest_subjects_are_told_apart() {
    String rule = LongTexts.of(ContractDefaults.MAX_ID_BYTES / 4, 1);
    String subject = LongTexts.of(LONGEST, 2);
    String other = subject.substring(2) + subject.substring(0, 2);
    observe(rule, NOON, PAGER, finding("one", subject), finding("two", other));

    observe(rule, minutes(1), PAGER, finding("three", subject), finding("four", other));

    assertThat(claim(minutes(2), 9))
        .extracting(each -> each.alert().id())
        .containsExactlyInAnyOrder("one", "two");
  }

  private static AlertFinding finding(String id, String subject) {
    return new AlertFinding(id, subject, "text of " + id);
  }

  private void observe(
      String ruleId, Instant now, List<String> channels, AlertFinding... findings) {
    done(operator.observeAlerts(
        new ObserveAlerts(ENVIRONMENT, ruleId, Arrays.asList(findings), channels, now)));
  }

  private List<Alert> list(@Nullable String ruleId, @Nullable Boolean isOpen) {
    return done(operator.listAlerts(new ListAlerts(ENVIRONMENT, ruleId, isOpen, null, null)))
        .data();
  }

  private Page<Alert> page(@Nullable Integer limit) {
    return done(operator.listAlerts(new ListAlerts(ENVIRONMENT, null, null, limit, null)));
  }

  private List<AlertDelivery> claim(Instant now, String channel) {
    return claim(now, channel, 100);
  }

  private List<AlertDelivery> claim(Instant now, int limit) {
    return claim(now, "pager", limit);
  }

  private List<AlertDelivery> claim(Instant now, String channel, int limit) {
    return done(operator.claimAlertDeliveries(
        new ClaimAlertDeliveries(ENVIRONMENT, List.of(channel), "token", now, MINUTE, limit)));
  }

  private void finish(String token, Outcome... outcomes) {
    done(operator.finishAlertDeliveries(
        new FinishAlertDeliveries(ENVIRONMENT, token, Stream.of(outcomes).toList())));
  }
}
