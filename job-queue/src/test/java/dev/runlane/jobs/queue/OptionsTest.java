package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private static final JobWorkerOptions WORKER = new JobWorkerOptions()
      .setConcurrency(4)
      .setMaxGlobalConcurrency(9)
      .setLimiter(new RateLimit(10, Duration.ofSeconds(1)))
      .setLockDuration(Duration.ofSeconds(5))
      .setStalledInterval(Duration.ofSeconds(6))
      .setAutoStart(false)
      .setLifo(true)
      .setJobName("mail")
      .setBatchSize(7)
      .setGroupConcurrency(2)
      .setGroupLimiter(new RateLimit(3, Duration.ofMillis(500)))
      .setPollInterval(Duration.ofSeconds(8))
      .setDrainTimeout(Duration.ofSeconds(9))
      .setSignalGrace(Duration.ofMillis(100))
      .setWorkerId("w1");
  private static final JobsOptions SHARED = new JobsOptions()
      .setOutcomeBatch(10)
      .setOutcomeCalls(3)
      .setOutcomeTimeout(Duration.ofSeconds(4))
      .setPendingEvents(50)
      .setPublishedEvents(Set.of(StoreEventType.JOB_WAITING, StoreEventType.JOB_CANCELLED))
      .setWatchedJobs(60)
      .setWatchInterval(Duration.ofSeconds(7))
      .setRetentionInterval(Duration.ofSeconds(8))
      .setBlockingThreads(9)
      .setMaxPayloadBytes(1_000);

  @Test
  void options_of_a_worker_survive_their_json_form_and_copying() {
    assertThat(new JobWorkerOptions(WORKER.toJson()).toJson()).isEqualTo(WORKER.toJson());
    assertThat(new JobWorkerOptions(WORKER).toJson()).isEqualTo(WORKER.toJson());
    assertThat(WORKER.toJson().fieldNames()).hasSize(15);
  }

  @Test
  void shared_options_survive_their_json_form_and_copying() {
    assertThat(new JobsOptions(SHARED.toJson()).toJson()).isEqualTo(SHARED.toJson());
    assertThat(new JobsOptions(SHARED).toJson()).isEqualTo(SHARED.toJson());
    assertThat(SHARED.toJson().fieldNames()).hasSize(10);
  }

  @Test
  void the_defaults_survive_their_json_form() {
    assertThat(new JobWorkerOptions(new JobWorkerOptions().toJson()).toJson())
        .isEqualTo(new JobWorkerOptions().toJson());
    assertThat(new JobsOptions(new JobsOptions().toJson()).toJson())
        .isEqualTo(new JobsOptions().toJson());
  }

  @Test
  void an_unknown_key_is_refused() {
    assertRefused(() -> new JobWorkerOptions(new JsonObject().put("concurency", 1)));
    assertRefused(() -> new JobsOptions(new JsonObject().put("x", 1)));
    assertRefused(() ->
        new JobWorkerOptions(new JsonObject().put("limiter", new JsonObject().put("most", 1))));
    assertRefused(() -> new JobsOptions(new JsonObject("{\"publishedEvents\":[\"job:lost\"]}")));
  }

  @Test
  void values_out_of_range_are_refused() {
    JobWorkerOptions worker = new JobWorkerOptions();
    assertRefused(() -> worker.setConcurrency(0));
    assertRefused(() -> worker.setBatchSize(0));
    assertRefused(() -> worker.setLimiter(new RateLimit(0, Duration.ofSeconds(1))));
    assertRefused(() -> worker.setGroupLimiter(new RateLimit(1, Duration.ZERO)));
    assertRefused(() -> worker.setLockDuration(Duration.ZERO));
    assertRefused(() -> worker.setGroupConcurrency(0));
    assertRefused(() -> worker.setMaxGlobalConcurrency(0));
    assertRefused(() -> worker.setWorkerId(""));
    assertRefused(() -> worker.setJobName("x".repeat(256)));
    JobsOptions shared = new JobsOptions();
    assertRefused(() -> shared.setOutcomeBatch(0));
    assertRefused(() -> shared.setOutcomeBatch(10_001));
    assertRefused(() -> shared.setWatchedJobs(0));
    assertRefused(() -> shared.setMaxPayloadBytes((64 << 20) + 1));
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
