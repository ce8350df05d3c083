package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.runlane.cli.report.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("runlane connectors run")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConnectorsRunTest {
  private static final Path SHELF = Path.of("../connector-kit/examples/shelf");
  private static final String MANIFEST = SHELF.resolve("manifest.json").toString();
  private static final List<String> NODE = List.of(
      "node",
      SHELF.resolve("connector.mjs").toString(),
      SHELF.resolve("books.jsonl").toString());

  @TempDir
  Path folder;

  @Test
  void goes_on_where_the_run_before_it_stopped() throws Exception {
    assumeNode();
    Path state = folder.resolve("state.json");
    List<String> options = List.of("--persist-state", state.toString(), "--records");
    try (CommandRun first = CommandRun.ofManifest(MANIFEST, options, NODE)) {
      assertThat(first.exitCode()).isZero();
      assertThat(first.records()).containsExactly("978-1", "978-2", "978-3");
    }
    assertThat(Files.readString(state)).isEqualTo("{\"books\":{\"line\":3}}\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state)))
        .isEqualTo("rw-------");

    try (CommandRun second = CommandRun.hereOfManifest(MANIFEST, options, NODE)) {
      assertThat(second.exitCode()).isZero();
      assertThat(second.records()).isEmpty();
    }
    List<String> again =
        Stream.concat(options.stream(), Stream.of("--full-refresh")).toList();
    try (CommandRun third = CommandRun.hereOfManifest(MANIFEST, again, NODE)) {
      assertThat(third.exitCode()).isZero();
      assertThat(third.records()).hasSize(3);
    }
  }

  @Test
  void collects_the_scope_that_is_given_from_the_state_that_is_given() throws Exception {
    assumeNode();
    Path scope = folder.resolve("scope.json");
    Files.writeString(scope, """
        {"streams": [{"name": "books", "fields": ["rating"],
          "time_range": {"since": "2026-01-01T00:00:00Z"}}]}
        """);
    List<String> options =
        List.of("--scope", scope.toString(), "--state", "{\"books\": {\"line\": 1}}", "--records");
    try (CommandRun run = CommandRun.hereOfManifest(MANIFEST, options, NODE)) {
      assertThat(run.exitCode()).isZero();
      assertThat(run.records()).containsExactly("978-2");
      assertThat(run.summary().path("state").path("books").path("line").asInt()).isEqualTo(3);
    }
  }

  @Test
  void leaves_the_state_as_it_was_when_the_run_fails() throws Exception {
    Path state = folder.resolve("state.json");
    Files.writeString(state, "{\"items\":{\"at\":7}}");
    try (CommandRun run =
        CommandRun.here(List.of("--persist-state", state.toString()), "wrong_count.sh")) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED.value());
    }
    assertThat(Files.readString(state)).isEqualTo("{\"items\":{\"at\":7}}");
  }

  @Test
  void keeps_no_state_when_told_so() throws Exception {
    try (CommandRun run = CommandRun.here(List.of("--without-state"), "well_behaved.sh")) {
      assertThat(run.exitCode()).isZero();
      assertThat(run.summary().path("terminal").path("checkpoint_commit_status").asText())
          .isEqualTo("disabled");
      assertThat(run.summary().path("state")).isEmpty();
    }
  }

  @Test
  void hands_on_what_is_typed_and_shows_it_nowhere() throws Exception {
    try (CommandRun run = CommandRun.of(List.of("--interaction", "ask"), "asks.sh")) {
      run.awaitEvent("run.interaction_required").type("hunter-7491");

      assertThat(run.exitCode()).isZero();
      assertThat(run.eventTypes()).contains("run.interaction_completed", "run.progress_reported");
      assertThat(run.printed())
          .contains("The connector asks: Code?", "the code was [REDACTED]")
          .doesNotContain("hunter-7491");
    }
  }

  @Test
  void asks_for_a_name_and_a_password_where_a_question_for_credentials_has_no_schema()
      throws Exception {
    Path script = Files.writeString(folder.resolve("connector.sh"), """
        read -r start
        echo '{"type":"INTERACTION","request_id":"q1","kind":"credentials","message":"Log in"}'
        read -r answer
        case $answer in *'"username":"ada"'*) ;; *) exit 8 ;; esac
        case $answer in *'"password":"tides-7491"'*) ;; *) exit 9 ;; esac
        echo '{"type":"DONE","status":"succeeded","records_emitted":0}'
        while read -r rest; do :; done
        """);
    try (CommandRun run = CommandRun.ofManifest(
        MANIFEST, List.of("--interaction", "ask"), List.of("sh", script.toString()))) {
      run.awaitEvent("run.interaction_required").type("ada\ntides-7491");

      assertThat(run.exitCode()).as(run.printed()).isZero();
    }
  }

  @Test
  void tells_the_connector_when_the_owner_declines() throws Exception {
    try (CommandRun run = CommandRun.of(List.of("--interaction", "ask"), "asks.sh")) {
      run.awaitEvent("run.interaction_required").type("");

      assertThat(run.exitCode()).isEqualTo(ExitCode.CANCELLED.value());
      assertThat(run.summary().path("reason").asText()).isEqualTo("connector_reported_cancelled");
    }
  }

  @Test
  void says_what_is_wrong_with_its_arguments_and_starts_nothing() throws Exception {
    Path broken = Files.writeString(folder.resolve("broken.json"), "{\"streams\": [");
    assertUsage("'--manifest=FILE'");
    assertUsage("--manifest: none.json cannot be read", "--manifest", "none.json", "--", "true");
    assertUsage("Missing required parameter", "--manifest", MANIFEST);
    assertUsage("--scope: not JSON, line 1", "--manifest", MANIFEST, "--scope", broken + "", "x");
    assertUsage(
        "diary", "--manifest", MANIFEST, "--scope", "{\"streams\":[{\"name\":\"diary\"}]}", "x");
    assertUsage(
        "neither an object nor null", "--manifest", MANIFEST, "--state", "{\"books\":4}", "x");
    assertUsage(
        "--secret: there is no variable", "--manifest", MANIFEST, "--secret", "NO_SUCH", "x");
    assertUsage(
        "goes with neither", "--manifest", MANIFEST, "--without-state", "--state", "{}", "x");
    assertUsage("Invalid value", "--manifest", MANIFEST, "--limit-time", "soon", "x");
  }

  @Test
  void fails_a_run_whose_program_is_not_there() {
    Printed printed =
        Printed.by("connectors", "run", "--manifest", MANIFEST, "--", "./no-such-program");

    assertThat(printed.exitCode()).isEqualTo(ExitCode.FAILED.value());
    assertThat(printed.out()).contains("The run failed: launch_failed", "no-such-program");
  }

  @Test
  void tells_a_person_what_happened_in_which_line_and_what_is_missing() throws Exception {
    Path script = Files.writeString(folder.resolve("connector.sh"), """
        read -r start
        echo '{"type":"RECORD","stream":"books","key":"1","emitted_at":"t","data":{"isbn":"1","title":"Tides"}}'
        echo '{"type":"RECORD","stream":"books","key":"2","emitted_at":"t","data":{"isbn":"3","title":"Kites"}}'
        echo '{"type":"STATE","stream":"books","cursor":{"line":2}}'
        echo '{"type":"SKIP_RESULT","stream":"books","reason":"page_locked","message":"Page 6 needs a visit"}'
        echo '{"type":"DONE","status":"failed","records_emitted":1,"error":{"message":"the shelf fell"}}'
        exit 1
        """);

    Printed printed =
        Printed.by("connectors", "run", "--manifest", MANIFEST, "--", "sh", script.toString());

    assertThat(printed.exitCode()).isEqualTo(ExitCode.FAILED.value());
    assertThat(printed.out())
        .containsSubsequence(
            "run.started",
            "REJECTED RECORD  books  2  invalid_record_identity",
            "run.state_staged",
            "books  cursor={\"line\":2}",
            "BROKEN RULE in line 5: records_emitted_mismatch: DONE said 1 records, but 2 came",
            "The run failed: connector_protocol_violation",
            "  DONE said 1 records, but 2 came",
            "  the connector said: the shelf fell",
            "  books: 1 record taken, 1 REJECTED, ",
            "  missing of books: page_locked: Page 6 needs a visit (unknown)")
        .doesNotContain("collection_facts", "\"source\"");
  }

  @Test
  void shows_the_first_twenty_records_that_no_store_takes_and_counts_all() throws Exception {
    Path script = Files.writeString(folder.resolve("connector.sh"), """
        i=0
        while [ $i -lt 25 ]; do
          echo '{"type":"RECORD","stream":"books","key":"k'$i'","data":{"isbn":"other","title":"t"},"emitted_at":"2026-01-01"}'
          i=$((i+1))
        done
        echo '{"type":"DONE","status":"succeeded","records_emitted":25}'
        """);

    Printed printed =
        Printed.by("connectors", "run", "--manifest", MANIFEST, "--", "sh", script.toString());

    assertThat(printed.out().lines().filter(line -> line.contains("REJECTED RECORD")))
        .hasSize(20);
    assertThat(printed.out()).contains("  books: 0 records taken, 25 REJECTED, ");
  }

  @Test
  void says_that_a_connector_gave_up_by_itself() throws Exception {
    Path script = Files.writeString(
        folder.resolve("connector.sh"),
        "echo '{\"type\":\"DONE\",\"status\":\"cancelled\",\"records_emitted\":0}'; exit 2");

    Printed printed =
        Printed.by("connectors", "run", "--manifest", MANIFEST, "--", "sh", script.toString());

    assertThat(printed.exitCode()).isEqualTo(ExitCode.CANCELLED.value());
    assertThat(printed.out()).contains("The connector gave up: connector_reported_cancelled");
  }

  @Test
  void explains_itself_with_its_exit_codes() {
    Printed printed = Printed.by("connectors", "run", "--help");

    assertThat(printed.exitCode()).isZero();
    assertThat(printed.out()).contains("--manifest=FILE", "Exit codes:", "130", "COMMAND");
    assertThat(Printed.by("connectors", "serve", "--help").out())
        .contains("--data=FOLDER", "Exit codes:", "130", "FOLDER");
    assertThat(Printed.by("connectors", "--help").out()).contains("run ", "serve ");
  }

  private static void assertUsage(String message, String... arguments) {
    Printed printed = Printed.by(
        Stream.concat(Stream.of("connectors", "run"), Stream.of(arguments)).toArray(String[]::new));

    assertThat(printed.err()).contains(message);
    assertThat(printed.exitCode()).as(printed.err()).isEqualTo(ExitCode.USAGE.value());
    assertThat(printed.out()).isEmpty();
  }

  private static void assumeNode() {
    boolean installed = Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(each -> Files.isExecutable(Path.of(each, "node")));
    assumeTrue(installed, "Node is not installed");
  }
}
