package dev.runlane.connector.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.run.Runs.Begun;
import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.run.Json;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a connector written for Node")
class NodeConnectorTest {
  private final Runs runs = new Runs();

  @AfterEach
  void close() {
    runs.close();
  }

  @Test
  void runs_the_whole_exchange_of_the_protocol() {
    Begun run = runs.node("shelf.mjs");
    runs.signals.await("run.interaction_required");
    Runs.await(run.run()
        .answer("q1", InteractionStatus.SUCCESS, Json.ofChecked("{\"code\":\"swordfish\"}")));

    Finished finished = runs.finish(run);

    assertThat(finished.types())
        .containsExactly(
            "run.started",
            "run.progress_reported",
            "run.interaction_required",
            "run.assistance_requested",
            "run.interaction_completed",
            "run.assistance_resolved",
            "run.batch_ingested",
            "run.state_staged",
            "run.stream_skipped",
            "run.state_advanced",
            "run.completed");
    assertThat(finished.end().path("records_emitted").asInt()).isEqualTo(2);
    assertThat(finished.end().path("known_gaps")).hasSize(1);
    assertThat(runs.records("books")).containsExactly("978-1", "978-2");
    assertThat(runs.cursors().get("books").cursor()).isEqualTo(Json.ofChecked("{\"page\":5}"));
  }

  @Test
  void may_write_faster_than_the_sink_takes() {
    CountingSink sink = new CountingSink();
    runs.sink = sink;

    Begun run = runs.begin(List.of("node", "src/test/resources/connectors/flood.mjs", "50000"));

    Finished finished = runs.finish(run);
    assertThat(finished.terminal().type().value()).isEqualTo("run.completed");
    assertThat(sink.records()).isEqualTo(50_000);
    assertThat(finished.end().path("records_accepted").asInt()).isEqualTo(50_000);
  }
}
