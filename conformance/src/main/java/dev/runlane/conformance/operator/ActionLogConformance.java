package dev.runlane.conformance.operator;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.FinishAction;
import dev.runlane.operator.ListActions;
import dev.runlane.operator.OperatorAction;
import dev.runlane.operator.RecordAction;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What operators did that belongs to no run. */
@DisplayName("the log of actions")
public abstract class ActionLogConformance extends OperatorConformance {
  @Test
  @Rule("operator")
  void an_action_is_there_before_it_has_ended() {
    record("one", NOON);

    assertThat(list(ENVIRONMENT))
        .containsExactly(new OperatorAction(
            "one", ANNA, "queue.pause", "mail", "it is moved", NOON, null, null, null));
  }

  @Test
  @Rule("operator")
  void an_action_says_how_it_ended() {
    record("one", NOON);
    record("two", minutes(1));

    assertThat(finish("one", true, "done")).isTrue();
    assertThat(finish("two", false, null)).isTrue();

    assertThat(list(ENVIRONMENT))
        .containsExactly(
            new OperatorAction(
                "two",
                ANNA,
                "queue.pause",
                "mail",
                "it is moved",
                minutes(1),
                false,
                null,
                minutes(5)),
            new OperatorAction(
                "one", ANNA, "queue.pause", "mail", "it is moved", NOON, true, "done", minutes(5)));
  }

  @Test
  @Rule("operator")
  void an_action_ends_once_and_an_unknown_one_never() {
    record("one", NOON);
    finish("one", false, "first");

    assertThat(finish("one", true, "second")).isFalse();
    assertThat(finish("unknown", true, null)).isFalse();
    assertThat(list(ENVIRONMENT)).extracting(OperatorAction::result).containsExactly("first");
  }

  @Test
  @Rule("operator")
  void an_action_that_is_recorded_again_stays_as_it_was() {
    record("one", NOON);
    finish("one", true, "done");
    record("one", minutes(9));

    assertThat(list(ENVIRONMENT)).extracting(OperatorAction::at).containsExactly(NOON);
    assertThat(list(ENVIRONMENT)).extracting(OperatorAction::result).containsExactly("done");
  }

  @Test
  @Rule("operator")
  void actions_are_listed_latest_first_in_pages_and_by_id_where_instants_are_equal() {
    record("b", NOON);
    record("d", minutes(1));
    record("a", NOON);
    record("c", minutes(1));
    record("e", NOON.minusSeconds(1));

    assertThat(pages(cursor -> operator.listActions(new ListActions(ENVIRONMENT, 2, cursor))))
        .extracting(page -> page.stream().map(OperatorAction::id).toList())
        .containsExactly(List.of("d", "c"), List.of("b", "a"), List.of("e"));
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_log() {
    record("one", NOON);

    assertThat(list(OTHER_ENVIRONMENT)).isEmpty();
    assertThat(done(
            operator.finishAction(new FinishAction(OTHER_ENVIRONMENT, "one", true, null, NOON))))
        .isFalse();
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_commands_are_refused() {
    assertFails(
        operator.recordAction(
            new RecordAction(ENVIRONMENT, "", ANNA, "queue.pause", null, null, NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.recordAction(new RecordAction(ENVIRONMENT, "one", ANNA, "", null, null, NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.finishAction(
            new FinishAction(ENVIRONMENT, "one", true, "half a pair \uD800", NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listActions(new ListActions(ENVIRONMENT, -1, null)), ErrorCode.VALIDATION_FAILED);
  }

  private void record(String id, Instant now) {
    done(operator.recordAction(
        new RecordAction(ENVIRONMENT, id, ANNA, "queue.pause", "mail", "it is moved", now)));
  }

  private boolean finish(String id, boolean succeeded, @Nullable String result) {
    return done(
        operator.finishAction(new FinishAction(ENVIRONMENT, id, succeeded, result, minutes(5))));
  }

  private List<OperatorAction> list(Environment environment) {
    return done(operator.listActions(new ListActions(environment, null, null))).data();
  }
}
