package dev.runlane.steps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.delivery.StepPauses;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.StepGroups;
import dev.runlane.steps.task.StepTask;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StepContractTest {
  @Test
  void a_group_is_the_name_without_colons_and_the_partition() {
    assertThat(StepGroups.token("payments.charge-card", null)).isEqualTo("payments.charge-card");
    assertThat(StepGroups.token("x:y:z", "")).isEqualTo("x-y-z");
    assertThat(StepGroups.token("x:y", "default")).isEqualTo("x-y");
    assertThat(StepGroups.token("x:y", "blue")).isEqualTo("x-y@blue");
  }

  @Test
  void a_step_id_ends_with_the_position() {
    StepTask first = StepTask.first("run:7", 3, "a:b", null);

    assertThat(first).isEqualTo(new StepTask("run:7:3", "run:7", 3, "a:b", "a-b", null, 1));
    assertThat(first.next().attempt()).isEqualTo(2);
    assertThat(first.next().stepId()).isEqualTo(first.stepId());
  }

  @Test
  void only_an_explicit_no_keeps_a_step_from_being_tried_again() {
    assertThat(StepError.of("code", "message").mayBeRetried()).isTrue();
    assertThat(new StepError("message", null, true, null).mayBeRetried()).isTrue();
    assertThat(StepError.fatal(null, "message").mayBeRetried()).isFalse();
  }

  @Test
  void delivery_options_have_a_json_form_and_refuse_what_they_do_not_know() {
    JsonObject json = new StepDeliveryOptions()
        .setMostInFlight(3)
        .setPageSize(4)
        .setLease(Duration.ofSeconds(7))
        .setShortestPause(Duration.ofMillis(5))
        .toJson();

    assertThat(new StepDeliveryOptions(json).toJson()).isEqualTo(json);
    assertThat(new StepDeliveryOptions(new StepDeliveryOptions(json)).toJson()).isEqualTo(json);
    for (JsonObject wrong : List.of(
        new JsonObject().put("pagesize", 1),
        new JsonObject().put("pageSize", 0),
        new JsonObject().put("pageSize", "1"),
        new JsonObject().put("lease", "soon"),
        new JsonObject().put("lease", "0s"))) {
      assertInvalid(() -> new StepDeliveryOptions(wrong));
    }
  }

  @Test
  void pauses_grow_from_more_than_nothing() {
    Duration one = Duration.ofMillis(1);

    assertInvalid(() -> new StepPauses(Duration.ZERO, one, one));
    assertInvalid(() -> new StepPauses(one.plus(one), one, one.plus(one)));
    assertInvalid(() -> new StepPauses(one.plus(one), one.plus(one), one));
  }

  @Test
  void a_lease_lasts_for_a_millisecond_to_a_hundred_years() {
    StepChecks.check(leasing(Duration.ofMillis(1)));
    StepChecks.check(leasing(Duration.ofDays(36_500)));

    for (Duration wrong : List.of(
        Duration.ofNanos(999_999),
        Duration.ofDays(36_500).plusNanos(1),
        Duration.ofSeconds(Long.MAX_VALUE),
        Duration.ofSeconds(Long.MIN_VALUE))) {
      assertThatThrownBy(() -> StepChecks.check(leasing(wrong)))
          .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
              .isEqualTo(ErrorCode.VALIDATION_FAILED));
    }
  }

  private static ClaimStepTasks leasing(Duration lease) {
    return new ClaimStepTasks(List.of("group"), "worker", Instant.EPOCH, lease, 1);
  }

  private static void assertInvalid(Runnable built) {
    assertThatThrownBy(built::run)
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
