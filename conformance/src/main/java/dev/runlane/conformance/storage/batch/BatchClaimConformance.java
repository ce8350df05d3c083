package dev.runlane.conformance.storage.batch;

import static dev.runlane.conformance.given.TestRuns.awaitingSteps;
import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.reserved;
import static dev.runlane.conformance.given.TestRuns.retrying;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.EMAILS;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.TASKS;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.StorageConflictKind.LEASE_OWNERSHIP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Claiming many due runs gives each the very state that the reducer would. */
@DisplayName("claiming many runs at once")
public abstract class BatchClaimConformance extends BatchConformance {
  @Test
  @Rule("B10")
  void each_claimed_run_is_exactly_what_the_reducer_makes_of_its_events() {
    List<RunRecord> before = givenAll(List.of(
        queued("run_1").idempotencyKey("key", Given.TTL_HOUR).singletonKey("one"),
        scheduled("run_2", minutes(1)),
        retrying("run_3", minutes(2)),
        released("run_4", minutes(3)),
        running("run_5", minutes(4)),
        awaitingSteps("run_6", minutes(5))));

    ClaimedRuns claimed = claim(List.of(UNBOUNDED), minutes(5), 10);

    assertThat(claimed.runs())
        .extracting(ClaimedRuns.Claimed::before)
        .containsExactlyElementsOf(before);
    claimed.runs().forEach(each -> assertStartedAt(minutes(5), each));
  }

  @Test
  @Rule({"B10", "steps"})
  void a_claimed_run_of_a_bounded_queue_awaits_no_steps_any_more() {
    RunRecord before = given(awaitingSteps("run_1", minutes(1)).queue(bounded(1)));

    ClaimedRuns claimed = claim(List.of(bounded(1)), minutes(5), 10);

    assertThat(claimed.runs()).extracting(ClaimedRuns.Claimed::before).containsExactly(before);
    assertThat(claimed.runs().get(0).run().awaiting()).isNull();
    assertThat(read("run_1")).isEqualTo(claimed.runs().get(0).run());
  }

  @Test
  @Rule({"B10", "clock"})
  void no_event_occurs_before_its_run_was_last_updated() {
    RunRecord ahead = given(queued("run_1").runAt(NOON).at(seconds(2)));

    ClaimedRuns claimed = claim(List.of(UNBOUNDED), seconds(1), 10);

    assertThat(claimed.runs()).hasSize(1);
    assertThat(claimed.runs().get(0).events())
        .extracting(event -> event.event().header().occurredAt())
        .containsExactly(ahead.updatedAt(), ahead.updatedAt());
    assertThat(claimed.runs().get(0).run().updatedAt()).isEqualTo(ahead.updatedAt());
  }

  @Test
  @Rule("B11")
  void those_due_longest_come_first_and_no_more_than_the_limit() {
    for (int i = 5; i >= 1; i--) {
      given(scheduled("run_" + i, minutes(i)));
    }

    ClaimedRuns first = claim(List.of(UNBOUNDED), minutes(9), 2);
    ClaimedRuns rest = claim(List.of(UNBOUNDED), minutes(9), 10);

    assertThat(runIds(first)).containsExactly("run_1", "run_2");
    assertThat(first.mayHaveMore()).isTrue();
    assertThat(runIds(rest)).containsExactly("run_3", "run_4", "run_5");
    assertThat(rest.mayHaveMore()).isFalse();
  }

  @Test
  @Rule("B11")
  void those_due_longest_come_first_whatever_their_queue_and_partition() {
    QueuePolicy one = QueuePolicy.bounded("one", 1);
    QueuePolicy many = bounded(9);
    given(scheduled("run_1", minutes(1)).queue(many).concurrencyKey("z"));
    given(scheduled("run_2", minutes(2)));
    given(scheduled("run_3", minutes(3)).queue(one));
    given(scheduled("run_4", minutes(4)).queue(many).concurrencyKey("a"));
    given(scheduled("run_5", minutes(5)).queue(EMAILS));
    given(running("run_6", minutes(6)).queue(many).concurrencyKey("b"));
    List<QueuePolicy> queues = List.of(EMAILS, many, UNBOUNDED, one);

    for (int i = 1; i <= 4; i++) {
      assertThat(runIds(claim(queues, minutes(9), 1))).containsExactly("run_" + i);
    }
    assertThat(runIds(claim(queues, minutes(9), 9))).containsExactly("run_5", "run_6");
  }

  @Test
  @Rule({"B07", "B14"})
  void runs_created_together_are_claimed_together_though_one_names_no_policy() {
    QueuePolicy two = bounded(2);

    appendAll(List.of(
        queued("run_1").queue(two).creation().in(two),
        queued("run_2").queue(two).creation(),
        queued("run_3").queue(two).creation()));

    assertThat(runIds(claim(List.of(two), NOON, 10))).containsExactly("run_1", "run_2");
  }

  @Test
  @Rule({"B10", "clock"})
  void a_lease_ends_its_duration_after_now_also_where_the_run_was_updated_later() {
    given(queued("run_1").runAt(NOON).at(seconds(2)));
    given(queued("run_2").runAt(NOON).at(minutes(1).plusSeconds(1)));

    ClaimedRuns claimed = claim(List.of(UNBOUNDED), seconds(1), 10);

    assertThat(runIds(claimed)).containsExactly("run_1");
    assertThat(claimed.runs().get(0).run().lease())
        .isEqualTo(lease("tok_batch", minutes(1).plusSeconds(1)));
    assertThat(read("run_2").lease()).isNull();
  }

  @Test
  @Rule("B11")
  void where_nothing_is_due_nothing_is_claimed() {
    given(scheduled("run_1", minutes(6)));
    given(retrying("run_2", minutes(6)));
    given(released("run_3", minutes(6)));
    given(running("run_4", minutes(6)));
    given(cancellationRequested("run_5", minutes(1)));
    given(succeeded("run_6"));
    StoredState before = stored();

    ClaimedRuns claimed = claim(List.of(UNBOUNDED), minutes(5), 10);

    assertThat(claimed.runs()).isEmpty();
    assertThat(claimed.mayHaveMore()).isFalse();
    assertNothingStored(before);
  }

  @Test
  @Rule("B12")
  void an_expired_lease_is_taken_over_and_its_owner_loses_it() {
    RunRecord lost = given(running("run_1", minutes(1)));

    assertThat(claim(List.of(UNBOUNDED), minutes(1).minusNanos(1_000), 10).runs())
        .isEmpty();
    ClaimedRuns claimed = claim(List.of(UNBOUNDED), minutes(1), 10);

    assertThat(runIds(claimed)).containsExactly("run_1");
    assertThat(claimed.runs().get(0).run().counters().attempts()).isEqualTo(2);
    Outcomes.assertConflict(
        storage.heartbeatRunLease(Commands.heartbeat(lost, minutes(9), minutes(1))),
        LEASE_OWNERSHIP);
  }

  @Test
  @Rule("B13")
  void only_the_named_queues_tasks_and_environment_are_claimed() {
    given(queued("run_1"));
    given(queued("run_2").queue(EMAILS));
    given(queued("run_3").task(OTHER_TASK));
    given(queued("run_4").environment(OTHER_ENVIRONMENT));

    assertThat(claim(List.of(), NOON, 10).runs()).isEmpty();
    assertThat(claimTasks(List.of(), 10).runs()).isEmpty();
    assertThat(runIds(claim(List.of(UNBOUNDED), NOON, 10))).containsExactly("run_1");
    assertThat(runIds(claim(List.of(EMAILS, UNBOUNDED), NOON, 10))).containsExactly("run_2");
    assertThat(runIds(claimTasks(List.of(OTHER_TASK), 10))).containsExactly("run_3");
  }

  @Test
  @Rule("B13")
  void runs_of_other_tasks_do_not_hide_those_behind_them() {
    givenAll(Race.times(20, i -> queued("run_other_" + i).task(OTHER_TASK)));
    given(queued("run_mine").at(minutes(1)));

    assertThat(runIds(claim(List.of(UNBOUNDED), minutes(1), 1))).containsExactly("run_mine");
  }

  @Test
  @Rule({"B14", "S50"})
  void no_partition_goes_above_its_limit() {
    QueuePolicy two = bounded(2);
    for (String tenant : List.of("a", "b", "c")) {
      givenAll(Race.times(4, i -> queued("run_" + tenant + i).queue(two).concurrencyKey(tenant)));
    }
    given(running("run_c9", minutes(60)).queue(two).concurrencyKey("c"));

    ClaimedRuns claimed = claim(List.of(two), NOON, 100);

    assertThat(claimed.runs())
        .extracting(each -> each.run().keys().concurrencyKey())
        .containsExactlyInAnyOrder("a", "a", "b", "b", "c");
    assertThat(claim(List.of(two), NOON, 100).runs()).isEmpty();
  }

  @Test
  @Rule({"B14", "S33"})
  void a_full_partition_does_not_starve_another_within_a_small_limit() {
    QueuePolicy one = bounded(1);
    given(running("run_0", minutes(60)).queue(one).concurrencyKey("full"));
    givenAll(Race.times(10, i -> queued("run_full_" + i).queue(one).concurrencyKey("full")));
    given(queued("run_free").queue(one).concurrencyKey("free").at(minutes(1)));

    assertThat(runIds(claim(List.of(one), minutes(1), 1))).containsExactly("run_free");
  }

  @Test
  @Rule({"B14", "S52", "m7"})
  void live_reservations_take_slots_and_their_runs_can_still_be_claimed() {
    QueuePolicy one = bounded(1);
    given(reserved("run_1", minutes(1)).queue(one));
    given(queued("run_2").queue(one).at(seconds(-9)));

    assertThat(runIds(claim(List.of(one), NOON, 10))).containsExactly("run_1");
    assertThat(read("run_1").reservation()).isNull();
  }

  @Test
  @Rule({"B14", "m7"})
  void an_expired_lease_is_taken_over_in_the_slot_it_holds() {
    QueuePolicy one = bounded(1);
    given(running("run_1", minutes(1)).queue(one));
    given(queued("run_2").queue(one));

    assertThat(runIds(claim(List.of(one), minutes(1), 10))).containsExactly("run_1");
  }

  @Test
  @Rule({"B14", "S56"})
  void a_freed_slot_is_claimed_again() {
    QueuePolicy one = bounded(1);
    givenAll(Race.times(3, i -> queued("run_" + i).queue(one).at(seconds(i))));

    for (int i = 0; i < 3; i++) {
      ClaimedRuns claimed = claim(List.of(one), minutes(1), 10);
      assertThat(runIds(claimed)).containsExactly("run_" + i);
      RunRecord run = claimed.runs().get(0).run();
      append(run, minutes(1), Events.succeeded(run, minutes(1)));
    }
  }

  @Test
  @Rule({"B10", "B18"})
  void of_named_runs_those_that_are_due_are_claimed_as_the_reducer_would() {
    List<RunRecord> before = givenAll(List.of(
        queued("run_1").idempotencyKey("key", Given.TTL_HOUR),
        scheduled("run_2", minutes(1)),
        retrying("run_3", minutes(2)),
        released("run_4", minutes(3)),
        running("run_5", minutes(4)),
        awaitingSteps("run_6", minutes(5))));
    givenAll(List.of(
        queued("run_unnamed"),
        scheduled("run_later", minutes(6)),
        running("run_leased", minutes(6)),
        cancellationRequested("run_cancelled", minutes(1)),
        succeeded("run_ended")));
    List<String> names = List.of(
        "run_6",
        "run_5",
        "run_later",
        "run_4",
        "run_3",
        "run_leased",
        "run_2",
        "run_cancelled",
        "run_1",
        "run_ended",
        "run_none");

    ClaimedRuns claimed = claimNamed(names, minutes(5), 100);

    assertThat(claimed.runs())
        .extracting(ClaimedRuns.Claimed::before)
        .containsExactlyElementsOf(before);
    assertThat(claimed.mayHaveMore()).isFalse();
    claimed.runs().forEach(each -> assertStartedAt(minutes(5), each));
    assertThat(runIds(claim(List.of(UNBOUNDED), minutes(5), 10))).containsExactly("run_unnamed");
  }

  @Test
  @Rule({"B13", "B18"})
  void named_runs_are_claimed_in_the_named_queues_of_the_named_tasks_and_environment() {
    given(queued("run_1").queue(EMAILS));
    given(queued("run_2").task(OTHER_TASK));
    given(queued("run_3").environment(OTHER_ENVIRONMENT));
    StoredState before = stored();

    assertThat(claimNamed(List.of("run_1", "run_2", "run_3"), NOON, 10).runs()).isEmpty();
    assertThat(claimNamed(List.of(), NOON, 10).runs()).isEmpty();

    assertNothingStored(before);
  }

  @Test
  @Rule({"B11", "B18"})
  void of_named_runs_no_more_than_the_limit_are_claimed_and_each_once() {
    for (int i = 3; i >= 1; i--) {
      given(scheduled("run_" + i, minutes(i)));
    }
    List<String> names = List.of("run_3", "run_1", "run_2", "run_1");

    ClaimedRuns first = claimNamed(names, minutes(9), 2);
    ClaimedRuns rest = claimNamed(names, minutes(9), 10);

    assertThat(runIds(first)).containsExactly("run_1", "run_2");
    assertThat(first.mayHaveMore()).isTrue();
    assertThat(runIds(rest)).containsExactly("run_3");
    assertThat(rest.mayHaveMore()).isFalse();
  }

  @Test
  @Rule({"B15", "B18"})
  void a_claim_of_named_runs_in_a_queue_with_a_limit_or_of_a_malformed_name_is_refused() {
    RunRecord run = given(queued("run_1"));
    RunRecord limited = given(queued("run_2").queue(bounded(2)));

    assertFails(
        batch.claimRuns(named(List.of(UNBOUNDED, bounded(2)), List.of("run_2"), NOON, 10)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        batch.claimRuns(named(List.of(UNBOUNDED), List.of("run_1", "a:b"), NOON, 10)),
        ErrorCode.VALIDATION_FAILED);

    assertThat(read("run_1")).isEqualTo(run);
    assertThat(read("run_2")).isEqualTo(limited);
  }

  @Test
  @Rule("B15")
  void a_malformed_claim_is_refused_and_claims_nothing() {
    RunRecord run = given(queued("run_1"));
    Instant lastSecond = Instant.parse("9999-12-31T23:59:59Z");

    for (ClaimRuns malformed : List.of(
        command(List.of(UNBOUNDED), TASKS, NOON, 0, MINUTE, "tok"),
        command(List.of(UNBOUNDED), TASKS, NOON, 1, Duration.ZERO, "tok"),
        command(List.of(UNBOUNDED), TASKS, NOON, 1, Duration.ofNanos(999), "tok"),
        command(List.of(UNBOUNDED), TASKS, NOON, 1, Duration.ofDays(36_501), "tok"),
        command(List.of(UNBOUNDED), TASKS, Instant.MAX, 1, MINUTE, "tok"),
        command(List.of(UNBOUNDED), TASKS, lastSecond, 1, MINUTE, "tok"),
        command(List.of(UNBOUNDED), List.of("a:b"), NOON, 1, MINUTE, "tok"),
        command(List.of(bounded(0)), TASKS, NOON, 1, MINUTE, "tok"),
        command(List.of(UNBOUNDED), TASKS, NOON, 1, MINUTE, "a:b"))) {
      assertFails(batch.claimRuns(malformed), ErrorCode.VALIDATION_FAILED);
    }

    assertThat(read("run_1")).isEqualTo(run);
  }

  private ClaimedRuns claim(List<QueuePolicy> queues, Instant now, int limit) {
    return Outcomes.done(batch.claimRuns(command(queues, TASKS, now, limit, MINUTE, "tok_batch")));
  }

  private ClaimedRuns claimTasks(List<String> taskIds, int limit) {
    return Outcomes.done(
        batch.claimRuns(command(List.of(UNBOUNDED), taskIds, NOON, limit, MINUTE, "tok_batch")));
  }

  /** Claimed for a minute, and stored as it was answered. */
  private void assertStartedAt(Instant now, ClaimedRuns.Claimed each) {
    List<RunEvent> events = each.events().stream().map(RunEventRecord::event).toList();
    assertThat(events)
        .containsExactly(
            Events.leaseClaimed(each.before(), now, lease("tok_batch", now.plus(MINUTE))),
            Events.started(each.before(), now));
    assertThat(each.run()).isEqualTo(Commands.project(each.before(), events));
    assertThat(read(each.run().id())).isEqualTo(each.run());
    assertThat(history(each.run())).endsWith(each.events().get(0), each.events().get(1));
  }

  private ClaimedRuns claimNamed(List<String> runIds, Instant now, int limit) {
    return Outcomes.done(batch.claimRuns(named(List.of(UNBOUNDED), runIds, now, limit)));
  }

  private static ClaimRuns named(
      List<QueuePolicy> queues, List<String> runIds, Instant now, int limit) {
    return new ClaimRuns(
        ENVIRONMENT, queues, TASKS, Given.WORKER, "tok_batch", MINUTE, now, limit, runIds);
  }

  private static ClaimRuns command(
      List<QueuePolicy> queues,
      List<String> taskIds,
      Instant now,
      int limit,
      Duration leaseFor,
      String token) {
    return new ClaimRuns(ENVIRONMENT, queues, taskIds, Given.WORKER, token, leaseFor, now, limit);
  }

  private static List<String> runIds(ClaimedRuns claimed) {
    return claimed.runs().stream().map(each -> each.run().id()).toList();
  }
}
