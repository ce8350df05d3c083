package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.RunSummary;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as users start it: a process, a folder, a file. */
@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ProgramTest {
  private static final Path SAMPLE = Path.of("orders.jsonl");
  private static final int SAMPLE_ORDERS = 40;
  private static final int SETTLED = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int INTERRUPTED = 130;

  @TempDir
  private Path folder;

  private Path data;

  @BeforeEach
  void letPostgresIn() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    data = folder.resolve("data");
  }

  @Test
  void the_sample_is_settled_and_told() {
    try (ProgramRun run = ProgramRun.start(data, SAMPLE)) {
      assertThat(run.exitCode()).as("%s", run.output()).isEqualTo(SETTLED);

      assertThat(run.output())
          .contains(
              "line 9 skipped: field amountCents must be a whole number above 0",
              "line 16 skipped: field merchant is missing",
              "line 39 skipped: order A-1003 is on line 3 already",
              "order A-1017 is cancelled: ordered twice by mistake",
              "orders: 40 new, 0 known already, 4 lines skipped",
              "order A-1023 failed in orders.charge: the card was declined")
          .anyMatch(line -> line.matches("line 30 skipped: not JSON: .*"))
          .anyMatch(line -> line.matches("orders\\.charge +38 +1 +1"))
          .anyMatch(line -> line.contains("run.retry_scheduled"))
          .noneMatch(line -> line.contains("\r") || line.contains("\u001b"));
    }

    assertSampleSettledOnce();
  }

  @Tag("full")
  @Test
  void a_second_start_finds_everything_done() {
    assertEnds(SETTLED, ProgramRun.start(data, SAMPLE));

    try (ProgramRun second = ProgramRun.start(data, SAMPLE)) {
      assertThat(second.exitCode()).isEqualTo(SETTLED);

      assertThat(second.output())
          .contains("orders: 0 new, 40 known already, 4 lines skipped")
          .noneMatch(line -> line.startsWith("open "));
    }
    assertSampleSettledOnce();
  }

  @Tag("full")
  @Test
  void what_ctrl_c_interrupts_the_next_start_ends() throws Exception {
    try (ProgramRun first = ProgramRun.start(data, SAMPLE)) {
      first.awaitLine(line -> line.startsWith("open ")).signal("INT");

      assertThat(first.exitCode()).as("%s", first.output()).isEqualTo(INTERRUPTED);
      assertThat(first.output()).contains("stopped: what is open goes on at the next start");
    }
    assertEverythingIsGivenBack();

    assertEnds(SETTLED, ProgramRun.start(data, SAMPLE));
    assertSampleSettledOnce();
  }

  @Tag("drill")
  @Test
  void what_a_kill_interrupts_the_next_start_ends() throws Exception {
    try (ProgramRun first = ProgramRun.start(data, SAMPLE, "--serve")) { // it never ends by itself
      first.awaitLine(line -> line.startsWith("open ")).signal("KILL").exitCode();
    }

    assertEnds(SETTLED, ProgramRun.start(data, SAMPLE));
    assertSampleSettledOnce();
  }

  @Test
  void serving_goes_on_until_it_is_stopped_and_a_second_program_is_told_who_has_the_folder()
      throws Exception {
    Path empty = Files.createFile(folder.resolve("empty.jsonl"));
    try (ProgramRun run = ProgramRun.start(data, empty, "--serve")) {
      run.awaitLine("serving until Ctrl-C"::equals);
      assertThat(consoleOf(run).statusCode()).isEqualTo(200);
      assertThat(consoleOf(run).body()).contains("<title>Runlane");
      try (ProgramRun second = ProgramRun.start(data, SAMPLE)) {
        assertThat(second.exitCode()).isEqualTo(FAILED);
        assertThat(second.output()).singleElement().asString().contains("is in use by process");
      }
      run.signal("INT");

      assertThat(run.exitCode()).isEqualTo(INTERRUPTED);
      assertThat(run.output()).contains("orders: 0 new, 0 known already, 0 lines skipped");
    }
  }

  @Tag("full")
  @Test
  void a_reset_forgets_what_earlier_starts_left() throws IOException {
    Path one = Files.writeString(folder.resolve("one.jsonl"), order(1));
    assertEnds(SETTLED, ProgramRun.start(data, one));

    try (ProgramRun run = ProgramRun.start(data, one, "--reset")) {
      assertThat(run.exitCode()).isEqualTo(SETTLED);
      assertThat(run.output())
          .startsWith(run.output().get(0), "data forgotten")
          .contains("orders: 1 new, 0 known already, 0 lines skipped");
    }
  }

  @Tag("full")
  @Test
  void a_thousand_orders_are_each_settled_once() throws IOException {
    List<String> lines = IntStream.range(0, 1_000).mapToObj(ProgramTest::order).toList();
    Path orders = Files.write(folder.resolve("many.jsonl"), lines);

    assertEnds(SETTLED, ProgramRun.start(data, orders));

    try (StoredShop stored = StoredShop.in(data)) {
      assertOneRunEach(1_000, stored.runs("orders.charge", RunStatus.SUCCEEDED));
      assertOneRunEach(1_000, stored.runs("orders.ship", RunStatus.SUCCEEDED));
    }
  }

  @Test
  void a_missing_file_and_unknown_options_are_usage_errors() {
    assertRefused("there is no file of orders at /nowhere", "--data", data.toString(), "/nowhere");
    assertThatThrownBy(() -> CommandLine.parse(List.of("--data", data.toString(), "--sevre", "x")))
        .isInstanceOf(CommandLine.UsageException.class)
        .hasMessageContaining("unknown option --sevre");
    assertThatThrownBy(() -> CommandLine.parse(List.of("orders.jsonl")))
        .isInstanceOf(CommandLine.UsageException.class)
        .hasMessageContaining("--data FOLDER is missing");
    assertThat(data).doesNotExist();
  }

  @Test
  void a_folder_that_is_no_folder_is_one_clear_line() throws IOException {
    Files.createFile(data);
    try (ProgramRun run = ProgramRun.start(data, SAMPLE)) {
      assertThat(run.exitCode()).isEqualTo(FAILED);
      assertThat(run.output()).singleElement().asString().startsWith("failed: ");
    }
  }

  @Tag("full")
  @Test
  void a_database_that_is_lost_ends_the_program_with_one_clear_line() throws Exception {
    try (ProgramRun run = ProgramRun.start(data, SAMPLE)) {
      run.awaitLine(line -> line.startsWith("open "));
      killPostgres();

      assertThat(run.exitCode()).isEqualTo(FAILED);
      assertThat(run.output())
          .noneMatch(line -> line.startsWith("\tat "))
          .filteredOn(line -> line.startsWith("failed: "))
          .singleElement()
          .asString()
          .containsPattern("connect(ion)? to 127\\.0\\.0\\.1:\\d+/postgres as postgres|Postgres");
    }

    assertEnds(SETTLED, ProgramRun.start(data, SAMPLE));
    assertSampleSettledOnce();
  }

  private void killPostgres() throws IOException {
    long pid = Long.parseLong(
        Files.readAllLines(data.resolve("data").resolve("postmaster.pid")).get(0));
    assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
  }

  private void assertEverythingIsGivenBack() {
    try (StoredShop stored = StoredShop.in(data)) {
      assertThat(stored.runs("orders.charge")).hasSize(SAMPLE_ORDERS);
      assertThat(stored.runs("orders.charge", RunStatus.RUNNING)).isEmpty();
      assertThat(stored.runs("orders.ship", RunStatus.RUNNING)).isEmpty();
    }
  }

  private void assertSampleSettledOnce() {
    try (StoredShop stored = StoredShop.in(data)) {
      List<RunSummary> charges = stored.runs("orders.charge");
      List<RunSummary> shipments = stored.runs("orders.ship");
      assertOneRunEach(SAMPLE_ORDERS, charges);
      assertOneRunEach(SAMPLE_ORDERS - 2, shipments);
      assertThat(keys(stored.runs("orders.charge", RunStatus.FAILED))).containsExactly("A-1023");
      assertThat(keys(stored.runs("orders.charge", RunStatus.CANCELLED))).containsExactly("A-1017");
      assertThat(stored.runs("orders.charge", RunStatus.SUCCEEDED)).hasSize(SAMPLE_ORDERS - 2);
      assertThat(stored.runs("orders.ship", RunStatus.SUCCEEDED)).hasSize(SAMPLE_ORDERS - 2);
      assertThat(charges).anyMatch(run -> run.counters().retries() == 2);
      assertThat(shipments).anyMatch(run -> run.counters().releases() > 0);
      charges.forEach(run -> stored.replayed(run.id()));
      shipments.forEach(run -> stored.replayed(run.id()));
    }
  }

  private static void assertOneRunEach(int orders, List<RunSummary> runs) {
    assertThat(keys(runs)).hasSize(orders).doesNotHaveDuplicates().doesNotContainNull();
  }

  private static List<String> keys(List<RunSummary> runs) {
    return runs.stream().map(RunSummary::idempotencyKey).toList();
  }

  private static HttpResponse<String> consoleOf(ProgramRun run)
      throws IOException, InterruptedException {
    String address = run.output().stream()
        .filter(line -> line.startsWith("console: "))
        .findFirst()
        .orElseThrow()
        .substring("console: ".length());
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
  }

  private static void assertEnds(int code, ProgramRun run) {
    try (run) {
      assertThat(run.exitCode()).as("%s", run.output()).isEqualTo(code);
    }
  }

  private static void assertRefused(String message, String... arguments) {
    try (ProgramRun run = ProgramRun.start(List.of(arguments))) {
      assertThat(run.exitCode()).isEqualTo(USAGE);
      assertThat(run.output()).singleElement().asString().contains(message);
    }
  }

  private static String order(int number) {
    return "{\"order\":\"T-" + number + "\",\"merchant\":\"m" + number % 40
        + "\",\"card\":\"4242-4242-4242-4242\",\"amountCents\":100}";
  }
}
