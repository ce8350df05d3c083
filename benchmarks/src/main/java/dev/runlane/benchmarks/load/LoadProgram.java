package dev.runlane.benchmarks.load;

import dev.runlane.benchmarks.measure.CpuShare;
import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.subject.DbSchedulerSubject;
import dev.runlane.benchmarks.subject.FloorSubject;
import dev.runlane.benchmarks.subject.NodeQueue;
import dev.runlane.benchmarks.subject.NodeSubject;
import dev.runlane.benchmarks.subject.Role;
import dev.runlane.benchmarks.subject.RunlaneSubject;
import dev.runlane.benchmarks.subject.Subject;
import dev.runlane.benchmarks.subject.Workload;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Starts a scratch Postgres and measures workloads on it in interleaved rounds. */
public final class LoadProgram {
  private LoadProgram() {}

  /** See {@code --help}. Ends with status 0 when every workload was measured and every check held. */
  public static void main(String[] args) throws IOException {
    if (List.of(args).contains("--help")) {
      System.out.println(LoadOptions.USAGE);
      return;
    }
    try {
      run(LoadOptions.parse(args));
    } catch (IllegalArgumentException wrong) {
      System.err.println(wrong.getMessage());
      System.err.println(LoadOptions.USAGE);
      System.exit(2);
    }
  }

  /** What the command line {@code args} measures, as medians of its rounds. */
  public static List<Measurement> measure(List<String> args) throws IOException {
    return run(LoadOptions.parse(args.toArray(String[]::new))).medians();
  }

  static Report run(LoadOptions options) throws IOException {
    if (!options.kafka()) {
      return run(options, subjects(options));
    }
    try (EmbeddedKafka broker = EmbeddedKafka.builder().temporary().start()) {
      List<Subject> subjects = subjects(options);
      subjects.add(1, RunlaneSubject.overKafka(broker.bootstrapServers()));
      return run(options, subjects);
    }
  }

  private static Report run(LoadOptions options, List<Subject> subjects) throws IOException {
    List<Workload> workloads = possible(options.selected());
    Report report = new Report();
    try (ScratchServer server = ScratchServer.start(options.serverSettings())) {
      System.out.println("On " + server.description());
      Bench bench = new Bench(server, options.jvmOptions(), options.details());
      for (int round = 1; round <= options.rounds(); round++) {
        for (Workload workload : workloads) {
          for (Subject subject : subjects) {
            if (subject.measures(workload)) {
              measure(bench, subject, workload, round, report);
            }
          }
        }
      }
    }
    List<String> lines = report.medians().stream()
        .map(median -> median.toJson().put("rounds", options.rounds()).encode())
        .toList();
    System.out.println("Medians of " + options.rounds() + " rounds:");
    System.out.println(report.table());
    System.out.println(Targets.table(report.medians()));
    lines.forEach(System.out::println);
    if (options.json() != null) {
      Files.write(options.json(), lines);
    }
    return report;
  }

  private static void measure(
      Bench bench, Subject subject, Workload workload, int round, Report report) {
    Measurement measured = bench.measure(subject, workload);
    report.add(measured);
    System.out.println("round " + round + " " + measured.toJson().encode());
  }

  private static List<Workload> possible(List<Workload> workloads) {
    if (workloads.stream().noneMatch(LoadProgram::isCapped) || CpuShare.isPossible()) {
      return workloads;
    }
    System.out.println("no control group can be made here: several processes are left out");
    return workloads.stream().filter(workload -> !isCapped(workload)).toList();
  }

  private static boolean isCapped(Workload workload) {
    return workload.role() == Role.SHARED_DRAIN;
  }

  private static List<Subject> subjects(LoadOptions options) {
    List<Subject> subjects = new ArrayList<>();
    subjects.add(RunlaneSubject.ofThisBuild());
    if (options.observed()) {
      subjects.add(RunlaneSubject.observed());
    }
    options.beside().forEach(checkout -> subjects.add(RunlaneSubject.ofBuild(checkout)));
    if (DbSchedulerSubject.isThere()) {
      subjects.add(new DbSchedulerSubject());
    } else {
      System.out.println("db-scheduler is not on the class path (-Pcompare): it is left out");
    }
    if (options.peers()) {
      subjects.add(new FloorSubject());
      Optional<Path> node = NodeQueue.installed(options.project());
      node.map(NodeSubject::pgBoss).ifPresent(subjects::add);
      node.map(NodeSubject::graphileWorker).ifPresent(subjects::add);
      if (node.isEmpty()) {
        System.out.println("no Node, or no packages for it: its queues are left out");
      }
    }
    return subjects;
  }
}
