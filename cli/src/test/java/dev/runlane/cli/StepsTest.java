package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.run.RunRecord;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("runlane steps")
@DisplayNameGeneration(ReplaceUnderscores.class)
class StepsTest {
  private final OperatedFleet fleet = OperatedFleet.onEmptied();

  @AfterEach
  void end() {
    fleet.close();
  }

  /** As the storage does for the event of a handler that asks for a step; sequence 1 is the run's first event. */
  private void requested(RunRecord run, int position, String group, int attempt) {
    fleet.sql("SELECT {schema}.request_step(env, '" + run.id() + ":" + position + "', '" + run.id()
        + "', " + position + ", 1, 'render', '" + group + "', " + attempt
        + ", now(), now() + interval '1 hour') FROM {schema}.environments");
  }

  @Test
  void waiting_steps_are_told_by_group_one_by_one_and_of_a_run() {
    RunRecord one = fleet.charged(1);
    RunRecord other = fleet.charged(2);
    requested(one, 1, "renderers", 1);
    requested(one, 2, "renderers", 3);
    requested(other, 1, "mailers", 1);
    fleet.sql("UPDATE {schema}.pending_steps SET dispatched_at = now() WHERE attempt = 3");

    JsonNode groups = fleet.json("steps", "groups").path("data");
    assertThat(groups.findValuesAsText("group")).containsExactly("mailers", "renderers");
    JsonNode renderers = groups.get(1);
    assertThat(renderers.path("waiting").asInt()).isEqualTo(2);
    assertThat(renderers.path("dispatched").asInt()).isEqualTo(1);
    assertThat(renderers.path("mostAttempts").asInt()).isEqualTo(3);
    assertThat(renderers.path("oldestRequestedAt").asText()).isNotEmpty();
    assertThat(fleet.runlane("steps", "groups").out()).contains("renderers").contains("in 5");

    assertThat(ids(fleet.json("steps", "list", "--group", "renderers")))
        .containsExactly(one.id() + ":1", one.id() + ":2");
    JsonNode first = fleet.json("steps", "list", "--limit", "2");
    JsonNode rest =
        fleet.json("steps", "list", "--cursor", first.path("nextCursor").asText());
    assertThat(ids(first)).hasSize(2);
    assertThat(ids(rest)).hasSize(1).doesNotContainAnyElementsOf(ids(first));
    assertThat(fleet.runlane("steps", "list", "--limit", "1").out()).contains("More: --cursor ");
    assertThat(ids(fleet.json("steps", "get", other.id()))).containsExactly(other.id() + ":1");
    assertThat(fleet.runlane("steps", "get", other.id()).out()).contains("mailers");
  }

  @Test
  void where_none_waits_that_is_said() {
    assertThat(fleet.runlane("steps", "groups").err()).contains("No step waits");
    assertThat(fleet.runlane("steps", "list").err()).contains("No step waits");
    assertThat(fleet.runlane("steps", "get", "run_none").exitCode()).isEqualTo(4);
    assertThat(fleet.runlane("steps", "list", "--limit", "0").exitCode()).isEqualTo(2);
  }

  private static List<String> ids(JsonNode answer) {
    return answer.path("data").findValuesAsText("id");
  }
}
