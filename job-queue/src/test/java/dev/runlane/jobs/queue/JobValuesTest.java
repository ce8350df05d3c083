package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.RandomJson;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.json.VertxJson;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** JSON values of every kind as payloads and return values of jobs. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobValuesTest {
  private static final int SEEDS = 60;

  private final JobTesting testing = JobTesting.create();
  private final JobQueue queue = testing.jobs().queue("mail");
  private final List<Object> seen = new ArrayList<>();
  private Class<?> deployed = JsonObject.class;

  record Order(JsonObject details, JsonArray lines, Buffer bytes, Json json) {}

  record Renamed(int lines) {}

  private Job fresh(Job job) {
    return testing.result(job.refresh()).orElseThrow();
  }

  private void returning(Class<?> type) {
    deployed = type;
    testing.jobs().worker("mail", (job, signal) -> {
      Object value = job.dataAs(deployed);
      seen.add(value);
      return Future.succeededFuture(JobResult.done(value));
    });
  }

  @Test
  void objects_pass_as_payload_and_as_return_value() {
    returning(JsonObject.class);
    for (long seed = 0; seed < SEEDS; seed++) {
      JsonObject object = new RandomJson(seed).object();
      Json json = VertxJson.of(object);

      Job job = testing.result(queue.add("x", object));
      testing.runDue();

      assertThat(job.data()).isEqualTo(json);
      assertThat(fresh(job).returnvalue()).contains(json);
      assertThat(seen).containsExactly(object);
      assertThat(VertxJson.of((JsonObject) seen.remove(0))).isEqualTo(json);
    }
  }

  @Test
  void records_that_hold_them_pass_too() {
    returning(Order.class);
    for (long seed = 0; seed < SEEDS; seed++) {
      RandomJson random = new RandomJson(seed);
      Order order = new Order(
          random.object(),
          random.array(),
          Buffer.buffer(random.bytes()),
          VertxJson.of(random.object()));

      Job job = testing.result(queue.add("x", order));
      testing.runDue();

      assertThat(fresh(job).returnvalue()).contains(job.data());
      assertThat(seen).containsExactly(order);
      seen.clear();
    }
  }

  @Test
  void a_payload_that_the_handler_cannot_read_fails_its_attempts_and_a_retry_makes_up_for_it() {
    returning(Renamed.class);
    Job job = testing.result(queue.add(
        "x",
        new JsonObject().put("lines", new JsonArray().add("secret")),
        JobOptions.builder().attempts(2).build()));
    testing.runDue();

    Job failed = fresh(job);
    assertThat(failed.state()).isEqualTo(JobState.FAILED);
    assertThat(failed.attemptsMade()).isEqualTo(2);
    assertThat(failed.failedReason().orElseThrow())
        .contains("cannot be read as " + Renamed.class.getName())
        .contains("lines")
        .doesNotContain("secret");
    assertThat(failed.data()).isEqualTo(Json.ofChecked("{\"lines\":[\"secret\"]}"));

    deployed = JsonObject.class;
    testing.result(failed.retry());
    testing.runDue();

    assertThat(fresh(job).state()).isEqualTo(JobState.COMPLETED);
    assertThat(fresh(job).returnvalue()).contains(failed.data());
  }
}
