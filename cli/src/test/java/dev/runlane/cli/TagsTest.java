package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("runlane trigger, runs list and runs get with --tag")
@DisplayNameGeneration(ReplaceUnderscores.class)
class TagsTest {
  private OperatedFleet fleet;

  @BeforeEach
  void start() {
    fleet = OperatedFleet.onEmptied();
    fleet.working();
  }

  @AfterEach
  void end() {
    fleet.close();
  }

  @Test
  void a_run_is_found_by_the_tags_that_it_was_triggered_with() {
    fleet.charged(1);
    String id = fleet
        .json("trigger", "charge", "-p", "2", "--tag", "customer:acme", "--tag", "region:eu:1")
        .path("run")
        .path("id")
        .asText();

    assertThat(
            fleet.json("runs", "list", "--tag", "region:eu:1").path("data").findValuesAsText("id"))
        .containsExactly(id);
    assertThat(fleet.json("runs", "list").path("data")).hasSize(2);
    assertThat(fleet
            .json("runs", "list", "--tag", "customer:acme", "--tag", "region:us")
            .path("data"))
        .isEmpty();
    assertThat(fleet.json("runs", "get", id).path("tags").path("region").asText())
        .isEqualTo("eu:1");
    assertThat(fleet.runlane("runs", "get", id).out())
        .containsPattern("tag +customer:acme")
        .containsPattern("tag +region:eu:1");
  }

  @Test
  void what_is_no_tag_is_a_mistake_of_the_command_line() {
    assertThat(fleet.runlane("runs", "list", "--tag", "acme").exitCode()).isEqualTo(2);
    assertThat(fleet.runlane("runs", "list", "--tag", "a:1", "--tag", "a:2").exitCode())
        .isEqualTo(2);
  }
}
