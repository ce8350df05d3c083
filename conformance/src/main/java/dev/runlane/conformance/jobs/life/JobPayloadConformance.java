package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.JsonTexts;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.NewJob;
import dev.runlane.run.Json;
import java.util.Collections;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** JSON is kept exactly. */
@DisplayName("JSON is kept exactly")
public abstract class JobPayloadConformance extends JobStoreConformance {
  @Test
  @Rule("J012")
  void nested_objects_are_kept() {
    assertKept("{\"user\":{\"name\":\"A\",\"tags\":[\"x\",\"y\"],\"score\":12.75,\"ok\":true}}");
  }

  @Test
  @Rule("J013")
  void simple_values_are_kept() {
    assertKept("{\"a\":null,\"b\":true,\"c\":false,\"d\":0,\"e\":-1,\"f\":0.123,\"g\":\"\"}");
  }

  @Test
  @Rule("J014")
  void empty_and_mixed_lists_and_objects_are_kept() {
    assertKept("{\"a\":[],\"b\":{},\"c\":[[1,[2]],{\"d\":[]}],\"e\":[1,\"two\",null,true,{}]}");
  }

  @Test
  @Rule("J015")
  void any_text_is_kept() {
    assertKept(
        "{\"a\":\"\ud83d\ude80 \u6f22\u5b57 \u0627\u0644\u0639\",\"b\":\"x\\ny\\tz \\\"q\\\" \\\\\"}");
  }

  @Test
  @Rule("J016")
  void a_thousand_objects_are_kept() {
    assertKept(
        "[" + String.join(",", Collections.nCopies(1_000, "{\"id\":1,\"name\":\"item\"}")) + "]");
  }

  @Test
  @Rule("J017")
  void a_payload_is_kept_through_a_fetch() {
    Json data = Json.ofChecked("{\"a\":[1,{\"b\":\"\ud83d\ude80\"}],\"c\":0.1}");

    save(NewJob.of("a", data, JobOptions.NONE, NOON));

    assertThat(fetched().data()).isEqualTo(data);
  }

  @Test
  @Rule("J210")
  void a_payload_need_not_be_an_object() {
    for (String text :
        new String[] {"\"hello\"", "\"123\"", "123", "true", "false", "null", "\"\"", "[]", "-0.5e3"
        }) {
      assertKept(text);
    }
  }

  @Test
  @Rule("J210")
  void json_is_not_written_anew() {
    assertKept("{ \"b\" : 1.00, \"a\":12345678901234567890.123, \"\\u0041\": [ ] }");
  }

  @Test
  @Rule("J211")
  void a_result_is_kept_and_null_is_another_than_none() {
    for (String text : new String[] {"\"123\"", "true", "null", "{ \"a\": 1.0 }"}) {
      JobData running = running(job("a"));

      finished(running, new JobOutcome.Completed(Json.ofChecked(text)));

      assertThat(get(running.id()).returnvalue()).isEqualTo(Json.ofChecked(text));
    }
    JobData running = running(job("a"));
    finished(running, new JobOutcome.Completed(null));
    assertThat(get(running.id()).returnvalue()).isNull();
  }

  @Test
  @Rule("J212")
  void every_text_that_json_allows_is_kept_nul_and_half_pairs_among_it() {
    for (Json json : JsonTexts.all()) {
      save(NewJob.of("a", json, JobOptions.NONE, NOON));
      JobData running = fetched();

      finished(running, new JobOutcome.Completed(json));

      assertThat(running.data().equals(json)).isTrue();
      assertThat(get(running.id()).data().equals(json)).isTrue();
      assertThat(Objects.equals(json, get(running.id()).returnvalue())).isTrue();
    }
  }

  private void assertKept(String text) {
    Json data = Json.ofChecked(text);

    String id = save(NewJob.of("a", data, JobOptions.NONE, NOON));

    assertThat(get(id).data()).isEqualTo(data);
  }
}
