package dev.runlane.drills.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.RateLimit;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class JobRulesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final JobForgery forged = new JobForgery();

  @Test
  void a_history_that_keeps_every_promise_is_left_alone() {
    forged
        .added("a", "one")
        .added("b", "one")
        .added("c", "two")
        .handedOut("a")
        .handedOut("c")
        .called("a", JobForgery.WORKER, false)
        .worked("c")
        .lost("a")
        .handedOut("a")
        .worked("a")
        .failed("a", "waiting")
        .handedOut("a")
        .worked("a")
        .snoozed("a")
        .handedOut("a")
        .worked("a")
        .completed("a")
        .completed("c")
        .handedOut("b")
        .worked("b")
        .failed("b", "failed");

    assertThat(broken()).isEmpty();
  }

  @Test
  void a_job_that_has_not_ended_is_found() {
    forged.added("a", "one").handedOut("a").worked("a").snoozed("a");

    assertThat(broken()).containsExactly(Rule.TERMINAL);
  }

  @Test
  void a_hand_out_without_an_end_is_found() {
    forged.added("a", "one").handedOut("a").worked("a");

    assertThat(broken()).containsExactly(Rule.TERMINAL, Rule.TERMINAL);
  }

  @Test
  void a_second_end_of_a_job_is_found() {
    done("a");
    forged
        .change("a", "waiting", 0, 1, 0, null, null)
        .handedOut("a")
        .worked("a")
        .completed("a");

    assertThat(broken()).containsExactly(Rule.TERMINAL);
  }

  @Test
  void a_job_that_two_have_at_once_is_found() {
    forged
        .added("a", "one")
        .handedOut("a")
        .worked("a")
        .handedOut("a")
        .worked("a")
        .completed("a");

    assertThat(broken()).contains(Rule.ONE_OUTCOME);
  }

  @Test
  void an_end_under_another_token_is_found() {
    forged.added("a", "one").handedOut("a").worked("a").completed("a", "stolen", "1");

    assertThat(broken()).contains(Rule.ONE_OUTCOME);
  }

  @Test
  void the_result_of_another_hand_out_is_found() {
    forged
        .added("a", "one")
        .handedOut("a")
        .lost("a")
        .handedOut("a")
        .worked("a")
        .completed("a", "a-2", "1");

    assertThat(broken()).containsExactly(Rule.ONE_OUTCOME);
  }

  @Test
  void a_group_above_its_limit_is_found() {
    forged.added("a", "one").added("b", "one").handedOut("a").handedOut("b").worked("a");
    forged.worked("b").completed("a").completed("b");

    assertThat(broken()).containsExactly(Rule.LIMIT, Rule.ORDER);
  }

  @Test
  void a_job_that_overtakes_another_of_its_group_is_found() {
    forged.added("a", "one").added("b", "one").handedOut("b").worked("b").completed("b");
    forged.handedOut("a").worked("a").completed("a");

    assertThat(broken()).containsExactly(Rule.ORDER);
  }

  @Test
  void a_job_that_overtakes_one_that_was_lost_is_found() {
    forged.added("a", "one").added("b", "one").handedOut("a").lost("a");
    forged.handedOut("b").worked("b").completed("b").handedOut("a").worked("a").completed("a");

    assertThat(broken()).containsExactly(Rule.ORDER);
  }

  @Test
  void a_window_with_too_many_hand_outs_is_found() {
    done("a");
    forged.after(SECOND.minusMillis(1));
    done("b");

    assertThat(broken(new RateLimit(1, SECOND))).containsExactly(Rule.RATE);
  }

  @Test
  void hand_outs_a_window_apart_are_left_alone() {
    done("a");
    forged.after(SECOND);
    done("b");

    assertThat(broken(new RateLimit(1, SECOND))).isEmpty();
  }

  @Test
  void a_hand_out_that_was_not_counted_is_found() {
    forged.added("a", "one").handedOut("a").worked("a").snoozed("a");
    forged.change("a", "active", 0, 1, 0, "a-1", null).worked("a").completed("a");

    assertThat(broken()).contains(Rule.ATTEMPTS);
  }

  @Test
  void a_loss_that_uses_an_attempt_is_found() {
    forged.added("a", "one").handedOut("a").change("a", "waiting", 1, 1, 1, "a-1", null);
    forged.handedOut("a").worked("a").completed("a");

    assertThat(broken()).containsExactly(Rule.ATTEMPTS);
  }

  @Test
  void a_handler_that_is_called_twice_for_one_hand_out_is_found() {
    forged.added("a", "one").handedOut("a").worked("a").worked("a").completed("a");

    assertThat(broken()).containsExactly(Rule.ONE_EFFECT, Rule.ONE_EFFECT);
  }

  @Test
  void a_handler_that_works_after_the_end_of_its_hand_out_is_found() {
    forged
        .added("a", "one")
        .handedOut("a")
        .called("a", JobForgery.WORKER, false)
        .completed("a")
        .called("a", JobForgery.WORKER, true);

    assertThat(broken()).containsExactly(Rule.ONE_EFFECT);
  }

  @Test
  void a_call_by_somebody_else_is_found() {
    forged
        .added("a", "one")
        .handedOut("a")
        .called("a", "other", false)
        .called("a", JobForgery.WORKER, true)
        .completed("a");

    assertThat(broken()).containsExactly(Rule.ONE_EFFECT);
  }

  @Test
  void a_call_without_a_hand_out_is_found() {
    forged.added("a", "one").called("a", JobForgery.WORKER, false);
    forged.handedOut("a").worked("a").completed("a");

    assertThat(broken()).containsExactly(Rule.ONE_EFFECT);
  }

  @Test
  void an_end_without_its_handler_is_found() {
    forged.added("a", "one").handedOut("a").completed("a");

    assertThat(broken()).containsExactly(Rule.EFFECT_OF_SUCCESS);
  }

  @Test
  void a_hand_out_that_is_handed_back_before_its_handler_was_called_is_none() {
    forged.added("a", "one").handedOut("a").snoozed("a");
    forged.handedOut("a").worked("a").completed("a");

    assertThat(broken()).isEmpty();
  }

  @Test
  void an_attempt_that_counts_as_failed_without_its_handler_is_found() {
    forged.added("a", "one").handedOut("a").failed("a", "waiting");
    forged.handedOut("a").worked("a").completed("a");

    assertThat(broken()).containsExactly(Rule.EFFECT_OF_SUCCESS);
  }

  private void done(String job) {
    forged.added(job, "group of " + job).handedOut(job).worked(job).completed(job);
  }

  private List<Rule> broken() {
    return rules(Map.of());
  }

  private List<Rule> broken(RateLimit limit) {
    return rules(Map.of(JobForgery.QUEUE, limit));
  }

  private List<Rule> rules(Map<String, RateLimit> rates) {
    return JobRules.violations(forged.history(), 1, rates).stream()
        .map(Violation::rule)
        .toList();
  }
}
