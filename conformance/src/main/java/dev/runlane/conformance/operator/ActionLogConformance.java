package dev.runlane.conformance.operator;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.run.Actor;
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
  private static final ActionFilter ANY = ActionFilter.ALL;
  private static final Actor BEN = Actor.operator("Ben");
  private static final Actor NOBODY = new Actor(Actor.Type.SYSTEM, null);

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
    record("one", BEN, "queue.resume", null, NOON);

    assertThat(list(ENVIRONMENT))
        .extracting(OperatorAction::at, OperatorAction::actor, OperatorAction::action)
        .containsExactly(tuple(NOON, ANNA, "queue.pause"));
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
  void actions_are_listed_by_exactly_their_actor_their_name_or_their_target() {
    record("a", ANNA, "queue.pause", "mail", NOON);
    record("b", BEN, "queue.resume", "mail", minutes(1));
    record("c", BEN, "queue.pause", null, minutes(2));
    record("d", NOBODY, "queue.pause", "Mail", minutes(3));
    record("e", Actor.operator("ben"), "Queue.pause", "mai", minutes(4));

    assertThat(ids(ANY.withActor("anna"))).containsExactly("a");
    assertThat(ids(ANY.withActor("Ben"))).containsExactly("c", "b");
    assertThat(ids(ANY.withAction("queue.pause"))).containsExactly("d", "c", "a");
    assertThat(ids(ANY.withTarget("mail"))).containsExactly("b", "a");
    assertThat(ids(ANY.withActor("Ben").withAction("queue.pause"))).containsExactly("c");
    assertThat(ids(ANY.withActor("anna").withTarget("Mail"))).isEmpty();
    assertThat(ids(ANY)).containsExactly("e", "d", "c", "b", "a");
  }

  @Test
  @Rule("operator")
  void a_range_of_time_begins_with_an_instant_and_ends_before_another() {
    record("a", NOON);
    record("b", minutes(1));
    record("c", minutes(2));

    assertThat(ids(ANY.withRecorded(minutes(1), null))).containsExactly("c", "b");
    assertThat(ids(ANY.withRecorded(null, minutes(1)))).containsExactly("a");
    assertThat(ids(ANY.withRecorded(NOON, minutes(2)))).containsExactly("b", "a");
    assertThat(ids(ANY.withRecorded(minutes(1), minutes(1)))).isEmpty();
    assertThat(ids(ANY.withRecorded(minutes(2), minutes(1)))).isEmpty();
  }

  @Test
  @Rule({"operator", "S12"})
  void actions_of_a_filter_have_pages_whose_cursors_belong_to_it_alone() {
    for (int i = 0; i < 5; i++) {
      record("ben_" + i, BEN, "queue.pause", "mail", minutes(i));
      record("anna_" + i, ANNA, "queue.pause", "mail", minutes(i));
    }
    ActionFilter ofBen = ANY.withActor("Ben").withRecorded(minutes(1), minutes(4));

    String cursor =
        done(operator.listActions(new ListActions(ENVIRONMENT, ofBen, 2, null))).nextCursor();

    assertThat(pages(
            cursorOf -> operator.listActions(new ListActions(ENVIRONMENT, ofBen, 2, cursorOf))))
        .extracting(page -> page.stream().map(OperatorAction::id).toList())
        .containsExactly(List.of("ben_3", "ben_2"), List.of("ben_1"));
    for (ActionFilter other : List.of(
        ANY,
        ofBen.withActor("anna"),
        ofBen.withAction("queue.pause"),
        ofBen.withTarget("mail"),
        ofBen.withRecorded(NOON, minutes(4)),
        ofBen.withRecorded(minutes(1), null))) {
      assertFails(
          operator.listActions(new ListActions(ENVIRONMENT, other, 2, cursor)),
          ErrorCode.VALIDATION_FAILED);
    }
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
  @Rule("operator")
  void the_earliest_actions_before_an_instant_are_removed_up_to_a_limit_ended_or_not() {
    record("d", minutes(3));
    record("c", minutes(2));
    record("b", minutes(1));
    record("a", NOON);
    finish("b", true, null);

    assertThat(prune(minutes(3), 2)).isEqualTo(2);
    assertThat(list(ENVIRONMENT)).extracting(OperatorAction::id).containsExactly("d", "c");
    assertThat(prune(minutes(3), 2)).isEqualTo(1);
    assertThat(prune(minutes(3), 2)).isZero();
    assertThat(list(ENVIRONMENT)).extracting(OperatorAction::id).containsExactly("d");
    assertThat(finish("b", false, null)).isFalse();
  }

  @Test
  @Rule("operator")
  void actions_of_other_environments_are_not_removed() {
    record("one", NOON);

    assertThat(done(operator.pruneActions(new PruneActions(OTHER_ENVIRONMENT, minutes(9), 10))))
        .isZero();
    assertThat(list(ENVIRONMENT)).hasSize(1);
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
    for (ActionFilter malformed : List.of(
        ANY.withActor("\0"),
        ANY.withAction(""),
        ANY.withTarget("half a pair \uD800"),
        ANY.withRecorded(Instant.parse("+10000-01-01T00:00:00Z"), null),
        ANY.withRecorded(null, Instant.parse("+10000-01-01T00:00:00Z")))) {
      assertFails(
          operator.listActions(new ListActions(ENVIRONMENT, malformed, null, null)),
          ErrorCode.VALIDATION_FAILED);
    }
    assertFails(
        operator.pruneActions(new PruneActions(ENVIRONMENT, NOON, 0)), ErrorCode.VALIDATION_FAILED);
  }

  private void record(String id, Instant now) {
    record(id, ANNA, "queue.pause", "mail", now);
  }

  private void record(String id, Actor actor, String action, @Nullable String target, Instant now) {
    done(operator.recordAction(
        new RecordAction(ENVIRONMENT, id, actor, action, target, "it is moved", now)));
  }

  private List<String> ids(ActionFilter filter) {
    return done(operator.listActions(new ListActions(ENVIRONMENT, filter, null, null)))
        .data()
        .stream()
        .map(OperatorAction::id)
        .toList();
  }

  private int prune(Instant olderThan, int limit) {
    return done(operator.pruneActions(new PruneActions(ENVIRONMENT, olderThan, limit)));
  }

  private boolean finish(String id, boolean succeeded, @Nullable String result) {
    return done(
        operator.finishAction(new FinishAction(ENVIRONMENT, id, succeeded, result, minutes(5))));
  }

  private List<OperatorAction> list(Environment environment) {
    return done(operator.listActions(new ListActions(environment, null, null))).data();
  }
}
