package dev.runlane.conformance.jobs.view;

import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries.Outcome;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import dev.runlane.run.ErrorCode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which ends of jobs webhooks are told of, and what is left to tell. */
@DisplayName("ends of jobs are kept for webhooks")
public abstract class JobWebhookConformance extends JobStoreConformance {
  private static final JobEndFilter FAILURES =
      new JobEndFilter(Set.of(JobState.FAILED), List.of(), List.of());
  private static final JobOptions AT_ONCE = JobOptions.builder()
      .removeOnComplete(JobRemoval.atOnce())
      .removeOnFail(JobRemoval.atOnce())
      .build();

  @Test
  @Rule("J450")
  void a_delivery_says_what_ended_and_how() {
    register(NOON, "all", JobEndFilter.ALL);
    String completed = ended(job("a"), DONE, after(1_000));
    String failed = ended(job("b"), BROKEN, after(2_000));

    List<JobDelivery> claimed = claim(NEXT_YEAR, "all");

    assertThat(claimed)
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("id")
        .containsExactly(
            new JobDelivery(
                "",
                "all",
                ref(completed),
                "a",
                JobState.COMPLETED,
                NOON,
                after(1_000),
                0,
                false,
                1),
            new JobDelivery(
                "", "all", ref(failed), "b", JobState.FAILED, NOON, after(2_000), 1, false, 1));
    assertThat(claimed).extracting(JobDelivery::id).doesNotHaveDuplicates().doesNotContain("");
  }

  @Test
  @Rule("J451")
  void whatever_ends_a_job_its_end_has_a_delivery() {
    register(NOON, "all", JobEndFilter.ALL);
    String failedFromOutside = save(job("a"));
    done(store.failJob(QUEUE, failedFromOutside, "no luck", after(1)));
    String cancelledEarly = save(delayed("b", 9_000));
    done(store.cancelOpenJob(QUEUE, cancelledEarly, after(2)));
    JobData cancelled = running(job("c"));
    done(store.cancelJob(QUEUE, cancelled.id(), after(2)));
    finish(cancelled, DONE, after(3));
    JobData lost = running(job("d", JobOptions.builder().maxStalls(0).build()));
    finish(lost, new JobOutcome.Stalled(), NOON.plus(LOCK).plusMillis(1));
    String updated = save(job("e"));
    update(updated, JobUpdate.NONE.state(JobState.COMPLETED).completedAt(after(4)));
    String parent = save(job("f").parentOf(List.of("child")));
    done(store.failParentOnChildFailure(QUEUE, parent, "no luck", after(5)));

    assertThat(claim(NEXT_YEAR, "all"))
        .extracting(each -> each.job().jobId(), JobDelivery::state, JobDelivery::cancelled)
        .containsExactlyInAnyOrder(
            tuple(failedFromOutside, JobState.FAILED, false),
            tuple(cancelledEarly, JobState.FAILED, true),
            tuple(cancelled.id(), JobState.FAILED, true),
            tuple(lost.id(), JobState.FAILED, false),
            tuple(updated, JobState.COMPLETED, false),
            tuple(parent, JobState.FAILED, false));
  }

  @Test
  @Rule("J451")
  void a_parent_that_fails_with_its_child_has_ended_too() {
    register(NOON, "all", JobEndFilter.ALL);
    saveFlow(
        "p",
        JobOptions.builder().failParentOnChildFailure(ChildFailurePolicy.FAIL).build(),
        "c1",
        "c2");

    JobData child = fetched();
    finish(child, BROKEN);

    assertThat(jobs(claim(NEXT_YEAR, "all"))).containsExactlyInAnyOrder(child.id(), "p");
  }

  @Test
  @Rule("J452")
  void a_job_that_is_removed_as_it_ends_has_ended() {
    register(NOON, "all", JobEndFilter.ALL);
    JobData completed = running(job("a", AT_ONCE));
    finish(completed, DONE, after(1));
    JobData failed = running(job("b", AT_ONCE));
    finish(failed, BROKEN, after(2));
    JobData handedOver = running(job("c", AT_ONCE));
    done(store.finishAndFetch(new FinishAndFetch(
        List.of(FinishJob.of(handedOver.lock(), DONE, after(3))),
        fetching(FetchOptions.ANY, after(3)))));
    JobData cancelled = running(job("d", AT_ONCE));
    done(store.cancelJob(QUEUE, cancelled.id(), after(4)));
    finish(cancelled, DONE, after(5));

    assertThat(exists(completed.id())).isFalse();
    assertThat(claim(NEXT_YEAR, "all"))
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("id")
        .containsExactly(
            new JobDelivery(
                "",
                "all",
                ref(completed.id()),
                "a",
                JobState.COMPLETED,
                NOON,
                after(1),
                0,
                false,
                1),
            new JobDelivery(
                "", "all", ref(failed.id()), "b", JobState.FAILED, NOON, after(2), 1, false, 1),
            new JobDelivery(
                "",
                "all",
                ref(handedOver.id()),
                "c",
                JobState.COMPLETED,
                NOON,
                after(3),
                0,
                false,
                1),
            new JobDelivery(
                "", "all", ref(cancelled.id()), "d", JobState.FAILED, NOON, after(5), 0, true, 1));
  }

  @Test
  @Rule("J452")
  void jobs_of_a_flow_that_remove_each_other_as_they_end_have_ended() {
    register(NOON, "all", JobEndFilter.ALL);
    JobOptions keepingOne =
        JobOptions.builder().removeOnFail(JobRemoval.keeping(1)).build();
    done(store.saveFlow(
        List.of(
            new FlowNode(QUEUE, job("leaf", keepingOne).withId("c").childOf(QUEUE, "p")),
            new FlowNode(
                QUEUE,
                job(
                        "parent",
                        keepingOne.toBuilder()
                            .failParentOnChildFailure(ChildFailurePolicy.FAIL)
                            .build())
                    .withId("p")
                    .parentOf(List.of("c")))),
        NOON));

    finish(fetched(), BROKEN);

    assertThat(exists("c")).isFalse();
    assertThat(jobs(claim(NEXT_YEAR, "all"))).containsExactlyInAnyOrder("c", "p");
  }

  @Test
  @Rule("J453")
  void what_goes_on_or_is_removed_has_no_delivery() {
    String before = ended(job("a"), DONE, after(1));
    register(NOON, "all", JobEndFilter.ALL);
    JobData again = running(job("b"));
    finish(again, new JobOutcome.Retry(after(9_000), "again", null));
    JobData snoozed = running(job("c"));
    finish(snoozed, new JobOutcome.Snooze(after(9_000)));
    JobData active = running(job("d", AT_ONCE));
    done(store.removeJob(QUEUE, active.id(), after(2)));
    done(store.removeJob(QUEUE, before, after(2)));
    save(job("e"));
    done(store.drain(QUEUE, after(3)));
    running(job("f", AT_ONCE));
    String last = ended(job("g"), DONE, after(4));
    done(store.clean(QUEUE, JobState.COMPLETED, Duration.ZERO, after(9)));
    done(store.obliterate(QUEUE, Obliterate.FORCED, after(9)));

    assertThat(jobs(claim(NEXT_YEAR, "all"))).containsExactly(last);
  }

  @Test
  @Rule("J454")
  void a_job_that_ends_again_has_another_delivery() {
    register(NOON, "all", JobEndFilter.ALL);
    String id = ended(job("a"), BROKEN, after(1));
    List<JobDelivery> first = claim(minutes(1), "all");
    done(store.retryJobs(QUEUE, JobState.FAILED));
    finish(fetched(), DONE, after(2));

    List<JobDelivery> second = claim(minutes(1), "all");

    assertThat(jobs(first)).containsExactly(id);
    assertThat(second)
        .extracting(each -> each.job().jobId(), JobDelivery::state)
        .containsExactly(tuple(id, JobState.COMPLETED));
    assertThat(second.get(0).id()).isNotEqualTo(first.get(0).id());
  }

  @Test
  @Rule("J455")
  void only_ends_that_fit_have_a_delivery() {
    register(
        NOON,
        Map.of(
            "failed", FAILURES,
            "queue", new JobEndFilter(Set.of(), List.of(OTHER_QUEUE), List.of()),
            "name", new JobEndFilter(Set.of(JobState.COMPLETED), List.of(QUEUE), List.of("b"))));
    String failed = ended(job("b"), BROKEN, after(1));
    String named = ended(job("b", AT_ONCE), DONE, after(2));
    ended(job("a", AT_ONCE), DONE, after(3));
    String elsewhere = done(store.saveJob(OTHER_QUEUE, job("a"), NOON));
    done(store.updateJob(
        OTHER_QUEUE, elsewhere, JobUpdate.NONE.state(JobState.COMPLETED).completedAt(after(4))));

    assertThat(jobs(claim(NEXT_YEAR, "failed"))).containsExactly(failed);
    assertThat(jobs(claim(NEXT_YEAR, "queue"))).containsExactly(elsewhere);
    assertThat(jobs(claim(NEXT_YEAR, "name"))).containsExactly(named);
  }

  @Test
  @Rule("J456")
  void what_ended_before_a_webhook_was_registered_has_no_delivery() {
    ended(job("a"), DONE, after(1));
    register(NOON, "all", JobEndFilter.ALL);

    assertThat(claim(NEXT_YEAR, "all")).isEmpty();
  }

  @Test
  @Rule("J457")
  void a_delivery_is_given_to_one_until_its_claim_ends() {
    register(NOON, "all", JobEndFilter.ALL);
    ended(job("a"), DONE, after(1));

    assertThat(claim(minutes(1), "all")).hasSize(1);
    assertThat(claim(minutes(1), "all")).isEmpty();
    assertThat(claim(minutes(1).plusSeconds(59), "all")).isEmpty();
    assertThat(claim(minutes(2), "all")).extracting(JobDelivery::tries).containsExactly(2);
  }

  @Test
  @Rule("J457")
  void a_delivery_that_is_done_with_is_gone_and_one_that_failed_is_due_again() {
    register(NOON, "all", JobEndFilter.ALL);
    ended(job("a"), DONE, after(1));
    String failed = ended(job("b"), DONE, after(2));
    List<JobDelivery> claimed = claim(minutes(1), "all");

    finish(
        "token",
        new Outcome(claimed.get(0).id(), null),
        new Outcome(claimed.get(1).id(), minutes(9)),
        new Outcome("nobody", null));

    assertThat(claim(minutes(8), "all")).isEmpty();
    assertThat(claim(minutes(9), "all"))
        .extracting(each -> each.job().jobId(), JobDelivery::id, JobDelivery::tries)
        .containsExactly(tuple(failed, claimed.get(1).id(), 2));
  }

  @Test
  @Rule("J457")
  void who_lost_the_claim_changes_nothing() {
    register(NOON, "all", JobEndFilter.ALL);
    ended(job("a"), DONE, after(1));
    String id = claim(minutes(1), "all").get(0).id();
    assertThat(claim(minutes(5), "other", 10, "all")).hasSize(1);

    finish("token", new Outcome(id, null));
    finish("token", new Outcome(id, minutes(5)));

    assertThat(claim(minutes(5), "all")).isEmpty();
    assertThat(claim(minutes(6), "all")).hasSize(1);
  }

  @Test
  @Rule("J457")
  void those_that_are_due_longest_are_claimed_first_and_no_more_than_wanted() {
    register(NOON, "all", JobEndFilter.ALL);
    String third = ended(job("a"), DONE, after(3));
    String second = ended(job("b"), DONE, after(2));
    String first = ended(job("c"), DONE, after(1));

    assertThat(jobs(claim(NEXT_YEAR, "token", 2, "all"))).containsExactly(first, second);
    assertThat(jobs(claim(NEXT_YEAR, "token", 2, "all"))).containsExactly(third);
  }

  @Test
  @Rule("J457")
  void a_claim_that_was_lost_finishes_nothing_for_who_claimed_again() {
    register(NOON, "all", JobEndFilter.ALL);
    ended(job("a"), DONE, after(1));
    String id = claim(minutes(1), "first", 10, "all").get(0).id();
    assertThat(claim(minutes(2), "second", 10, "all")).hasSize(1);

    finish("first", new Outcome(id, null));
    assertThat(claim(minutes(3), "third", 10, "all")).hasSize(1);

    finish("third", new Outcome(id, minutes(5)));
    finish("third", new Outcome(id, null));
    assertThat(claim(minutes(5), "fourth", 10, "all")).hasSize(1);
    finish("fourth", new Outcome(id, null));
    assertThat(claim(NEXT_YEAR, "all")).isEmpty();
  }

  @Test
  @Rule("J457")
  void what_is_finished_is_what_is_named_and_no_more() {
    register(NOON, "all", JobEndFilter.ALL);
    ended(job("a"), DONE, after(1));
    String kept = ended(job("b"), DONE, after(2));
    List<JobDelivery> claimed = claim(minutes(1), "all");

    finish("token", new Outcome(claimed.get(0).id(), null));

    assertThat(claim(minutes(1).plus(MINUTE).minusMillis(1), "all")).isEmpty();
    assertThat(jobs(claim(minutes(2), "all"))).containsExactly(kept);
  }

  @Test
  @Rule("J457")
  void a_delivery_is_due_at_its_very_time() {
    register(NOON, "all", JobEndFilter.ALL);
    ended(job("a"), DONE, after(1_000));

    assertThat(claim(after(999), "all")).isEmpty();
    String id = claim(after(1_000), "all").get(0).id();
    assertThat(claim(after(60_999), "all")).isEmpty();
    assertThat(claim(after(61_000), "all")).hasSize(1);

    finish("token", new Outcome(id, after(70_000)));
    assertThat(claim(after(69_999), "all")).isEmpty();
    assertThat(claim(after(70_000), "all")).hasSize(1);
  }

  @Test
  @Rule("J457")
  void of_many_that_claim_at_once_each_delivery_goes_to_one() {
    register(NOON, "all", JobEndFilter.ALL);
    for (int i = 0; i < 20; i++) {
      ended(job("job_" + i), DONE, after(i));
    }

    Race.Results<List<JobDelivery>> race = race(
        8,
        i -> () -> storeOf(i)
            .webhooks()
            .orElseThrow()
            .claimDeliveries(
                new ClaimJobDeliveries(List.of("all"), "token_" + i, minutes(1), MINUTE, 5)));

    assertThat(race.failures()).isEmpty();
    List<String> given = new ArrayList<>();
    race.results().forEach(each -> each.forEach(delivery -> given.add(delivery.id())));
    assertThat(given).doesNotHaveDuplicates().hasSizeBetween(5, 20);
  }

  @Test
  @Rule("J458")
  void each_webhook_has_its_own_delivery_and_a_job_that_is_gone_keeps_its_own() {
    register(NOON, Map.of("one", JobEndFilter.ALL, "two", JobEndFilter.ALL));
    String id = ended(job("a"), DONE, after(1));
    finish("token", new Outcome(claim(minutes(1), "one").get(0).id(), null));

    done(store.removeJob(QUEUE, id, after(2)));

    assertThat(claim(minutes(9), "one")).isEmpty();
    assertThat(claim(minutes(9), "two", "one"))
        .extracting(JobDelivery::webhookId)
        .containsExactly("two");
  }

  @Test
  @Rule("J458")
  void a_webhook_that_is_registered_again_with_another_filter_has_that() {
    register(NOON, "hook", JobEndFilter.ALL);
    register(minutes(1), "hook", FAILURES);

    ended(job("a"), DONE, after(120_000));

    assertThat(claim(NEXT_YEAR, "hook")).isEmpty();
  }

  @Test
  @Rule("J458")
  void a_webhook_that_changes_between_two_ends_is_told_of_each_by_what_it_was_then() {
    register(NOON, Map.of("hook", JobEndFilter.ALL, "other", FAILURES));
    String first = ended(job("a"), DONE, after(1));
    String claimed = claim(minutes(1), "token", 1, "hook").get(0).id();

    register(minutes(1), "hook", FAILURES);
    ended(job("b"), DONE, after(2));
    String third = ended(job("c"), BROKEN, after(3));
    register(minutes(1), "hook", new JobEndFilter(Set.of(), List.of(OTHER_QUEUE), List.of()));
    String fourth = ended(job("d"), BROKEN, after(4));

    finish("token", new Outcome(claimed, minutes(2)));
    assertThat(jobs(claim(minutes(2), "hook"))).containsExactly(third, first);
    assertThat(jobs(claim(minutes(2), "other"))).containsExactly(third, fourth);
  }

  @Test
  @Rule("J458")
  void a_webhook_is_kept_for_seven_days_and_not_a_moment_longer() {
    Instant last = NOON.plus(JobWebhookStore.KEPT);
    register(NOON, Map.of("old", JobEndFilter.ALL, "living", JobEndFilter.ALL));
    register(minutes(1), "living", JobEndFilter.ALL);

    String inTime = ended(job("a"), DONE, last);
    ended(job("b"), DONE, last.plusMillis(1));
    register(last, "living", JobEndFilter.ALL);

    assertThat(jobs(claim(last.plusSeconds(1), "old"))).containsExactly(inTime);
    register(last.plusMillis(1), "living", JobEndFilter.ALL);
    assertThat(claim(NEXT_YEAR, "old")).isEmpty();
    assertThat(claim(NEXT_YEAR, "living")).hasSize(2);
  }

  @Test
  @Rule("J458")
  void a_webhook_that_nobody_registers_any_more_gets_nothing_and_is_forgotten() {
    Instant later = NOON.plus(JobWebhookStore.KEPT).plusSeconds(1);
    register(NOON, Map.of("old", JobEndFilter.ALL, "living", JobEndFilter.ALL));
    String inTime = ended(job("a"), DONE, after(1));
    register(minutes(5), "living", JobEndFilter.ALL);

    String tooLate = ended(job("b"), DONE, later);

    assertThat(jobs(claim(later.plusSeconds(60), "token", 10, "old"))).containsExactly(inTime);
    assertThat(jobs(claim(later.plusSeconds(60), "living"))).contains(tooLate);
    register(later, "living", JobEndFilter.ALL);
    assertThat(claim(NEXT_YEAR, "old")).isEmpty();
  }

  @Test
  @Rule("J458")
  void the_last_webhook_is_forgotten_by_those_who_register_none() {
    Instant later = NOON.plus(JobWebhookStore.KEPT).plusSeconds(1);
    register(NOON, "old", JobEndFilter.ALL);
    String inTime = ended(job("a"), DONE, after(1));

    register(minutes(1), Map.of());
    assertThat(jobs(claim(minutes(1), "token", 10, "old"))).containsExactly(inTime);
    register(later, Map.of());

    assertThat(claim(NEXT_YEAR, "old")).isEmpty();
  }

  @Test
  @Rule("J458")
  void a_process_whose_clock_is_behind_takes_no_time_from_a_webhook() {
    register(NOON, "all", JobEndFilter.ALL);
    register(NOON.minus(Duration.ofDays(6)), "all", JobEndFilter.ALL);

    String id = ended(job("a"), DONE, NOON.plus(Duration.ofDays(5)));

    assertThat(jobs(claim(NEXT_YEAR, "all"))).containsExactly(id);
  }

  @Test
  @Rule("J459")
  void malformed_commands_are_refused() {
    JobWebhookStore webhooks = webhooks();
    for (JobEndFilter malformed : List.of(
        new JobEndFilter(Set.of(JobState.ACTIVE), List.of(), List.of()),
        new JobEndFilter(Set.of(), List.of(""), List.of()),
        new JobEndFilter(Set.of(), List.of(), List.of("")))) {
      assertFails(
          webhooks.registerWebhooks(new RegisterJobWebhooks(Map.of("hook", malformed), NOON)),
          ErrorCode.VALIDATION_FAILED);
    }
    assertFails(
        webhooks.registerWebhooks(new RegisterJobWebhooks(Map.of("a:b", JobEndFilter.ALL), NOON)),
        ErrorCode.VALIDATION_FAILED);
    for (ClaimJobDeliveries malformed : List.of(
        new ClaimJobDeliveries(List.of("all"), "token", NOON, MINUTE, 0),
        new ClaimJobDeliveries(List.of("all"), "", NOON, MINUTE, 1),
        new ClaimJobDeliveries(List.of("all"), "token", NOON, Duration.ZERO, 1),
        new ClaimJobDeliveries(List.of(""), "token", NOON, MINUTE, 1))) {
      assertFails(webhooks.claimDeliveries(malformed), ErrorCode.VALIDATION_FAILED);
    }
    for (List<Outcome> malformed : List.of(
        List.of(new Outcome("", null)),
        List.of(new Outcome("one", null), new Outcome("one", NOON)))) {
      assertFails(
          webhooks.finishDeliveries(new FinishJobDeliveries("token", malformed)),
          ErrorCode.VALIDATION_FAILED);
    }
  }

  private JobWebhookStore webhooks() {
    return store.webhooks().orElseThrow();
  }

  private void register(Instant now, String webhookId, JobEndFilter filter) {
    register(now, Map.of(webhookId, filter));
  }

  private void register(Instant now, Map<String, JobEndFilter> webhooks) {
    done(webhooks().registerWebhooks(new RegisterJobWebhooks(webhooks, now)));
  }

  private List<JobDelivery> claim(Instant now, String... webhookIds) {
    return claim(now, "token", 100, webhookIds);
  }

  private List<JobDelivery> claim(Instant now, String token, int limit, String... webhookIds) {
    return done(webhooks()
        .claimDeliveries(
            new ClaimJobDeliveries(Arrays.asList(webhookIds), token, now, MINUTE, limit)));
  }

  private void finish(String token, Outcome... outcomes) {
    done(webhooks().finishDeliveries(new FinishJobDeliveries(token, List.of(outcomes))));
  }

  private static JobRef ref(String id) {
    return new JobRef(QUEUE, id);
  }

  private static List<String> jobs(List<JobDelivery> deliveries) {
    return deliveries.stream().map(each -> each.job().jobId()).toList();
  }
}
