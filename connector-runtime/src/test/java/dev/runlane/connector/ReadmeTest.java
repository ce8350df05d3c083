package dev.runlane.connector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.message.Received;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.read.MessageReader;
import dev.runlane.connector.protocol.read.OutputChecks;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.protocol.text.ReaderLimits;
import dev.runlane.run.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Compiles and runs the README's example. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  // readme:begin
  /** What is wrong with a connector's output, line by line. */
  static List<String> violations(String manifestText, String scopeText, List<String> lines) {
    ConnectorManifest manifest = ConnectorManifest.parse(manifestText);
    StartScope scope = StartScope.requested(manifest, Json.ofChecked(scopeText));
    MessageReader reader =
        new MessageReader(OutputChecks.of(manifest, scope), ReaderLimits.DEFAULT);
    List<String> violations = new ArrayList<>();
    long number = 0;
    for (String line : lines) {
      byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
      Received received = reader.read(bytes, 0, bytes.length, ++number);
      if (received instanceof Violation violation) {
        violations.add(violation.line() + ": " + violation.type().value());
      }
    }
    return violations;
  }

  @Test
  void a_record_before_the_first_day_is_a_violation() {
    assertThat(
            violations(
                """
            {"connector_id": "shelf", "version": "1",
             "streams": [{"name": "books", "consent_time_field": "bought_at"}]}""",
                """
            {"streams": [{"name": "books", "time_range": {"since": "2026-01-01"}}]}""",
                List.of(
                    "{\"type\":\"PROGRESS\",\"message\":\"Opening the shelf\"}",
                    "{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"978-1\",\"emitted_at\":\"2026-03-01\",\"data\":{\"bought_at\":\"2025-12-31\"}}")))
        .containsExactly("2: record_outside_time_range");
  }

  // readme:end
  @Test
  void the_README_shows_the_code_above() throws Exception {
    Path source = Path.of("src/test/java/dev/runlane/connector/ReadmeTest.java");
    List<String> lines = Files.readAllLines(source);
    String shown = String.join(
            "\n",
            lines.subList(lines.indexOf("  // readme:begin") + 1, lines.indexOf("  // readme:end")))
        .stripTrailing()
        .stripIndent();

    assertThat(Files.readString(Path.of("README.md"))).contains("```java\n" + shown + "\n```");
  }
}
