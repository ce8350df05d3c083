package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.RunSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program with its three worker processes behind a real broker. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Tag("drill")
class KafkaProgramTest {
  private static final Path SAMPLE = Path.of("orders.jsonl");
  private static final int SAMPLE_ORDERS = 40;
  private static final int SETTLED = 0;
  private static final int INTERRUPTED = 130;
  private static final long PATIENCE_SECONDS = 180;
  private static final Pattern WORKER = Pattern.compile("worker-\\d is process (\\d+)");

  @TempDir
  private Path folder;

  private Path data;

  @BeforeEach
  void letPostgresIn() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    data = folder.resolve("data");
  }

  @Test
  void three_processes_settle_the_sample_and_end() {
    try (ProgramRun run = ProgramRun.start(data, SAMPLE, "--kafka")) {
      assertThat(run.exitCode()).as("%s", run.output()).isEqualTo(SETTLED);

      assertThat(run.output())
          .contains("orders: 40 new, 0 known already, 4 lines skipped")
          .anyMatch(line -> line.startsWith("embedded Kafka on port "))
          .anyMatch(line -> line.matches("orders\\.charge +38 +1 +1"))
          .noneMatch(line -> line.contains("was ended") || line.contains("are killed"));
      assertThat(told(run)).hasSize(3);
      assertThat(run.output().stream().filter(line -> line.matches("worker-\\d executed \\d+ .*")))
          .hasSize(3);
      assertAllEnd(workers(run));
    }

    assertSampleSettledOnce();
  }

  @Tag("full")
  @Test
  void a_killed_worker_is_told_and_replaced_and_its_orders_are_settled() throws Exception {
    try (ProgramRun run = ProgramRun.start(data, SAMPLE, "--kafka", "--serve")) {
      run.awaitLine(line -> line.startsWith("open "));
      ProcessHandle victim = ProcessHandle.of(told(run).get(1)).orElseThrow();

      assertThat(victim.destroyForcibly()).isTrue();

      run.awaitLine(line ->
              line.startsWith("worker-2 (process " + victim.pid() + ") was ended by signal 9"))
          .awaitLine("serving until Ctrl-C"::equals);
      assertThat(told(run)).hasSize(4).doesNotHaveDuplicates();
      run.signal("INT");
      assertThat(run.exitCode()).as("%s", run.output()).isEqualTo(INTERRUPTED);
      assertAllEnd(workers(run));
    }

    assertSampleSettledOnce();
  }

  @Tag("full")
  @Test
  void a_worker_that_is_told_to_end_hands_back_what_it_has_and_is_replaced() throws Exception {
    try (ProgramRun run = ProgramRun.start(data, SAMPLE, "--kafka")) {
      run.awaitLine(line -> line.startsWith("open "));
      ProcessHandle victim = ProcessHandle.of(told(run).get(1)).orElseThrow();

      assertThat(victim.destroy()).isTrue();

      run.awaitLine(line -> line.startsWith("worker-2 executed "))
          .awaitLine(line ->
              line.startsWith("worker-2 (process " + victim.pid() + ") was ended by signal 15"));
      assertThat(run.exitCode()).as("%s", run.output()).isEqualTo(SETTLED);
      assertAllEnd(workers(run));
    }

    assertSampleSettledOnce();
  }

  @Tag("full")
  @Test
  void what_ctrl_c_interrupts_the_next_start_ends() throws Exception {
    try (ProgramRun first = ProgramRun.start(data, SAMPLE, "--kafka")) {
      first.awaitLine(line -> line.startsWith("open ")).signal("INT");

      assertThat(first.exitCode()).as("%s", first.output()).isEqualTo(INTERRUPTED);
      assertThat(first.output()).contains("stopped: what is open goes on at the next start");
      assertAllEnd(workers(first));
    }
    try (StoredShop stored = StoredShop.in(data)) {
      assertThat(stored.runs("orders.charge", RunStatus.RUNNING)).isEmpty();
      assertThat(stored.runs("orders.ship", RunStatus.RUNNING)).isEmpty();
    }

    try (ProgramRun second = ProgramRun.start(data, SAMPLE, "--kafka")) {
      assertThat(second.exitCode()).as("%s", second.output()).isEqualTo(SETTLED);
      assertThat(second.output()).contains("orders: 0 new, 40 known already, 4 lines skipped");
    }
    assertSampleSettledOnce();
  }

  @Tag("full")
  @Test
  void nothing_outlives_a_killed_program_and_postgres_alone_can_end_its_work() throws Exception {
    try (ProgramRun first = ProgramRun.start(data, SAMPLE, "--kafka")) {
      first.awaitLine(line -> line.startsWith("open ")).signal("KILL").exitCode();

      assertAllEnd(workers(first));
      assertAllEnd(brokers());
    }

    try (ProgramRun second = ProgramRun.start(data, SAMPLE)) {
      assertThat(second.exitCode()).as("%s", second.output()).isEqualTo(SETTLED);
    }
    assertSampleSettledOnce();
  }

  /** As the program has told them. */
  private static List<Long> told(ProgramRun run) {
    return run.output().stream()
        .flatMap(line -> WORKER.matcher(line).results())
        .map((MatchResult match) -> Long.parseLong(match.group(1)))
        .toList();
  }

  /** Those of them that run. */
  private static List<ProcessHandle> workers(ProgramRun run) {
    return told(run).stream().flatMap(pid -> ProcessHandle.of(pid).stream()).toList();
  }

  private List<ProcessHandle> brokers() {
    return ProcessHandle.allProcesses()
        .filter(each -> each.info().commandLine().orElse("").contains(data.toString() + "/kafka"))
        .toList();
  }

  private static void assertAllEnd(List<ProcessHandle> processes) {
    processes.forEach(each -> assertThat(
            each.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join().isAlive())
        .isFalse());
  }

  private void assertSampleSettledOnce() {
    try (StoredShop stored = StoredShop.in(data)) {
      assertThat(keys(stored.runs("orders.charge"))).hasSize(SAMPLE_ORDERS).doesNotHaveDuplicates();
      assertThat(keys(stored.runs("orders.charge", RunStatus.SUCCEEDED)))
          .hasSize(SAMPLE_ORDERS - 2)
          .containsExactlyInAnyOrderElementsOf(
              keys(stored.runs("orders.ship", RunStatus.SUCCEEDED)));
      assertThat(stored.runs("orders.ship")).hasSize(SAMPLE_ORDERS - 2);
      stored.runs("orders.charge").forEach(run -> stored.replayed(run.id()));
      stored.runs("orders.ship").forEach(run -> stored.replayed(run.id()));
    }
  }

  private static List<String> keys(List<RunSummary> runs) {
    return runs.stream().map(RunSummary::idempotencyKey).toList();
  }
}
