package dev.runlane.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.benchmarks.measure.Seen;
import dev.runlane.benchmarks.subject.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
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
    assertMeasured(
        folder,
        List.of(),
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
        "enqueue-threads-16",
        "enqueue-threads-128",
        "latency");
  }

  @Tag("slow")
  @Test
  void workloads_that_are_named_are_measured_with_few_runs_and_their_checks_hold(
      @TempDir Path folder) throws Exception {
    assertMeasured(
        folder, List.of("enqueue-many", "drain-16", "lat"), "enqueue-many", "drain-16", "latency");
  }

  private static void assertMeasured(Path folder, List<String> named, String... measured)
      throws Exception {
    Path json = folder.resolve("figures.json");
    List<String> arguments = new ArrayList<>(named);
    arguments.addAll(List.of("--rounds", "1", "--runs", "40", "--history", "20"));
    arguments.addAll(List.of("--json", json.toString()));
    arguments.addAll(List.of("--jvm", "-XX:TieredStopAtLevel=1", "--jvm", "-XX:+UseSerialGC"));

    Report report = LoadProgram.run(LoadOptions.parse(arguments.toArray(String[]::new)));

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
