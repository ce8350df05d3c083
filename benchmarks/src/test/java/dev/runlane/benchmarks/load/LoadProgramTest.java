package dev.runlane.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.benchmarks.measure.CpuShare;
import dev.runlane.benchmarks.measure.Seen;
import dev.runlane.benchmarks.subject.Workload;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class LoadProgramTest {

  @Tag("full")
  @Test
  void every_workload_is_measured_with_few_runs_and_its_checks_hold(@TempDir Path folder)
      throws Exception {
    List<String> all = new ArrayList<>(List.of(
        "enqueue-16",
        "enqueue-128",
        "enqueue-keys-128",
        "enqueue-many",
        "drain",
        "drain-16",
        "drain-default",
        "drain-history",
        "bounded",
        "bounded-1000",
        "bounded-keys",
        "bounded-keys-10",
        "enqueue-threads-16",
        "enqueue-threads-128",
        "latency",
        "deployed-drain",
        "filled-drain",
        "slow-disk-drain"));
    if (CpuShare.isPossible()) {
      all.addAll(List.of("processes-1", "processes-2"));
    }
    assertMeasured(folder, List.of(), all.toArray(String[]::new));
  }

  @Tag("full")
  @Test
  void over_a_broker_and_with_statements_counted_the_same_checks_hold() throws Exception {
    Report report = LoadProgram.run(LoadOptions.parse(
        arguments("deployed-drain", "latency", "--kafka", "--statements", "--runs", "40")));

    assertThat(report.medians())
        .extracting(each -> each.workload() + " of " + each.system())
        .containsExactlyInAnyOrder(
            "deployed-drain of runlane",
            "deployed-drain of runlane over Kafka",
            "latency of runlane",
            "latency of runlane over Kafka");
    assertThat(report.medians())
        .filteredOn(each -> each.workload().equals("deployed-drain"))
        .allSatisfy(each -> assertThat(each.value("blocksPerRun")).isPositive());
  }

  @Tag("full")
  @Test
  void a_soak_tells_what_its_end_is_beside_what_was_before_and_loses_no_run() {
    Measurement soak = SoakProgram.measure(Duration.ofSeconds(12));

    assertThat(soak.values()).containsOnlyKeys("p99EndByBefore", "bytesEndByAfter");
  }

  private static String[] arguments(String... more) {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.addAll(List.of("--rounds", "1", "--jvm", "-XX:TieredStopAtLevel=1"));
    arguments.addAll(List.of("--jvm", "-XX:+UseSerialGC"));
    return arguments.toArray(String[]::new);
  }

  @Tag("slow")
  @Test
  void workloads_that_are_named_are_measured_with_few_runs_and_their_checks_hold(
      @TempDir Path folder) throws Exception {
    assertMeasured(folder, List.of("drain-16", "lat"), "drain-16", "latency");
  }

  private static void assertMeasured(Path folder, List<String> named, String... measured)
      throws Exception {
    Path json = folder.resolve("figures.json");
    List<String> arguments = new ArrayList<>(named);
    arguments.addAll(List.of("--runs", "40", "--history", "20", "--waiting", "20"));
    arguments.addAll(List.of("--json", json.toString()));

    Report report = LoadProgram.run(LoadOptions.parse(arguments(arguments.toArray(String[]::new))));

    Set<String> ours = report.medians().stream()
        .filter(each -> each.system().equals("runlane"))
        .map(Measurement::workload)
        .collect(Collectors.toSet());
    assertThat(ours).containsExactlyInAnyOrder(measured);
    assertThat(Files.readAllLines(json)).hasSameSizeAs(report.medians());
    assertThat(report.table()).contains("| latency | runlane |");
  }

  @Test
  void the_table_holds_medians_and_the_ratio_to_the_other_system() {
    Report report = new Report();
    for (double rate : new double[] {300, 100, 200}) {
      report.add(measurement("runlane", rate));
      report.add(measurement("db-scheduler", rate / 2));
    }

    assertThat(report.medians())
        .extracting(each -> each.values().get("runsPerSecond"))
        .containsExactly(200.0, 100.0);
    assertThat(report.table()).contains("| drain | runlane | 2.00 | 1.00 | 200 |");
  }

  @Test
  void figures_that_miss_what_they_must_be_are_marked_and_those_without_a_peer_left_out() {
    String table = Targets.table(List.of(
        measurement("runlane", 300), measurement("db-scheduler", 100), measurement("floor", 600)));
    String missed =
        Targets.table(List.of(measurement("runlane", 299), measurement("db-scheduler", 100)));

    assertThat(table)
        .contains("| drain ÷ db-scheduler | 3.00 | 3.0 | 4.5 |", "| drain ÷ floor | 0.50 |")
        .doesNotContain("pg-boss");
    assertThat(missed).contains("| drain ÷ db-scheduler | missed: 2.99 | 3.0 | 4.5 |");
  }

  @Test
  void figures_that_may_not_be_larger_are_marked_where_they_are() {
    String table = Targets.table(List.of(
        told("deployed-drain", "runlane", "runsPerSecond", 1_000),
        told("deployed-drain", "runlane over Kafka", "runsPerSecond", 900),
        told("latency", "runlane over Kafka", "p50Millis", 5.5),
        told("idle", "runlane", "statementsPerSecond", 2)));

    assertThat(table.lines().skip(2))
        .containsExactly(
            "| start over Kafka at 200/s, p50 ms | missed: 5.50 | 5.0 at most | 3.0 |",
            "| drain of what is deployed, over Kafka ÷ over NOTIFY | 0.90 | 0.85 | 1.0 |",
            "| idle, all roles and ten bounded queues, statements/s | 2.00 | 3.0 at most | 1.0 |");
  }

  @Test
  void of_several_slots_the_best_counts_and_of_several_peers_too() {
    String table = Targets.table(List.of(
        told("jobs-drain", "runlane", "jobsPerSecond", 500),
        told("jobs-drain", "runlane", "jobsPerSecond", 900),
        told("jobs-drain", "pg-boss", "jobsPerSecond", 1_000),
        told("jobs-drain", "pg-boss", "jobsPerSecond", 300),
        told("jobs-add-16", "runlane", "jobsPerSecond", 200),
        told("jobs-add-16", "pg-boss", "jobsPerSecond", 50),
        told("jobs-add-16", "db-scheduler", "jobsPerSecond", 100)));

    assertThat(table)
        .contains(
            "| jobs: drain ÷ pg-boss | 0.90 |", "| jobs: add of 16 callers ÷ best peer | 2.00 |");
  }

  @Test
  void figures_of_several_runs_are_not_compared_with_each_other() {
    String table = Targets.tableOfRuns(List.of(
        List.of(measurement("runlane", 300), measurement("db-scheduler", 100)),
        List.of(measurement("runlane", 400), measurement("floor", 800))));

    assertThat(table.lines().skip(2))
        .containsExactly(
            "| drain ÷ db-scheduler | 3.00 | 3.0 | 4.5 |", "| drain ÷ floor | 0.50 |  |  |");
  }

  private static Measurement told(String workload, String system, String name, double value) {
    return Measurement.told(new JsonObject()
        .put("workload", workload)
        .put("system", system)
        .put("database", "PostgreSQL")
        .put(name, value));
  }

  @Test
  void a_name_stands_for_what_begins_with_it_and_alone_only_where_that_is_said() {
    assertThat(LoadOptions.parse(new String[] {"drain="}).selected())
        .extracting(Workload::name)
        .containsExactly("drain");
    assertThat(LoadOptions.parse(new String[] {"drain"}).selected()).hasSizeGreaterThan(2);
  }

  @Test
  void a_workload_nobody_knows_and_a_malformed_number_are_refused() {
    assertThatThrownBy(() -> LoadOptions.parse(new String[] {"drian"}).selected())
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LoadOptions.parse(new String[] {"--rounds", "0"}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LoadOptions.parse(new String[] {"--round", "1"}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_payload_that_was_handled_twice_or_never_is_noticed() {
    Seen seen = new Seen(3);
    List.of(0, 2, 2).forEach(seen::add);

    seen.requireOnce(0, 1);

    assertThatThrownBy(() -> seen.requireOnce(0, 3)).hasMessageContaining("[1, 2]");
  }

  private static Measurement measurement(String system, double rate) {
    return new Measurement(
        "drain",
        system,
        Map.of(
            "runsPerSecond", rate,
            "cpuMicrosPerRun", 10.0,
            "clientMicrosPerRun", 5.0,
            "serverMicrosPerRun", 5.0,
            "walBytesPerRun", 100.0,
            "writesPerRun", 0.1));
  }
}
