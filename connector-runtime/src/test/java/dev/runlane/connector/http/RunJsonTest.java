package dev.runlane.connector.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("what is shown of runs")
class RunJsonTest {

  @Test
  void has_every_number_name_and_depth_that_connectors_may_send() {
    for (String text : new String[] {
      "{\"n\":" + "7".repeat(10_000) + "}",
      "{\"n\":" + "7".repeat(9_998) + "e1}",
      "{\"n\":1.50}",
      "{\"" + "n".repeat(60_000) + "\":1}",
      "{\"n\":" + "[".repeat(256) + "]".repeat(256) + "}"
    }) {
      String shown = RunJson.tree(Json.ofChecked(text)).toString();

      assertThat(RunJson.tree(Json.ofChecked(shown)).toString()).isEqualTo(shown);
      assertThat(shown.length()).isGreaterThanOrEqualTo(text.length());
    }
  }
}
