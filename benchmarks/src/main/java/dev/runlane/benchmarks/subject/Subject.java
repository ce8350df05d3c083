package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.testinfra.postgres.PostgresAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A system that can be measured. */
public interface Subject {
  /** Drains that are the same to every system. */
  Set<String> PLAIN_DRAINS = Set.of("drain", "slow-disk-drain");

  /** What starts one of its processes: a JVM, unless the subject is something else. */
  default ProcessBuilder process(List<String> jvmOptions) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx1g");
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", classPath(), mainClass()));
    return new ProcessBuilder(command);
  }

  /** Its name in the results. */
  String name();

  /** The main class of its processes. */
  String mainClass();

  /** Their class path: that of this process, unless the subject is another build. */
  default String classPath() {
    return System.getProperty("java.class.path");
  }

  /** Whether it can do this, and not only in another workload's way: what every system can, unless it says more. */
  default boolean measures(Workload workload) {
    return workload.role() == Role.ENQUEUE
        || workload.role() == Role.ENQUEUE_MANY
        || PLAIN_DRAINS.contains(workload.name());
  }

  /** Makes the tables as they are on a quiet night: empty or full of old runs, and vacuumed. */
  default void prepare(Sql sql, Workload workload) {
    sql.execute("VACUUM ANALYZE");
  }

  /** Throws unless every run is there, and ended once where it was to be worked on. */
  void check(Sql sql, Workload workload);

  /** Where a fresh round begins. */
  record Round(Workload workload, PostgresAddress database) {
    public ProcessSettings settings(Workload forProcess) {
      return new ProcessSettings(database.toUri(), forProcess);
    }
  }
}
