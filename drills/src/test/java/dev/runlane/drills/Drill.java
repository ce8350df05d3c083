package dev.runlane.drills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Environment;
import dev.runlane.testinfra.EmbeddedPostgres;
import dev.runlane.testinfra.PostgresAddress;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One drill: a Postgres of its own, the processes that work on it, and a look at what they left. Whatever
 * happens, every process is killed at the end; when it fails, their last output is printed.
 */
final class Drill {
  private static final Duration START = Duration.ofSeconds(60);

  private static final String ACTIVE =
      "SELECT count(*) FROM runlane.active_runs JOIN runlane.environments USING (env) WHERE environment_key = ?";
  private static final String MESSAGES =
      "SELECT count(*) FROM runlane.outbox_messages JOIN runlane.environments USING (env) WHERE environment_key = ?";
  private static final String FIRES =
      "SELECT count(*) FROM runlane.schedule_occurrences JOIN runlane.environments USING (env)"
          + " WHERE environment_key = ? AND status = 'completed'";
  private static final String ENDED =
      "SELECT count(*) FROM runlane.terminal_runs JOIN runlane.environments USING (env) WHERE environment_key = ?";

  private final String name;
  private final Path folder;
  private final EmbeddedPostgres postgres;
  private final PostgresAddress address;
  private final Database database;
  private final DrillTarget target;
  private final DrillRuntime runtime;
  private final List<JavaProcess> processes = new CopyOnWriteArrayList<>();
  private final List<String> report = new ArrayList<>();
  private final Instant begun = Instant.now();

  private Drill(String name, Path folder, EmbeddedPostgres postgres, Duration lease) {
    this.name = name;
    this.folder = folder;
    this.postgres = postgres;
    address = postgres.createDatabase("drill");
    database = new Database(address);
    target = DrillTarget.of(address, "drill", lease);
    runtime = DrillRuntime.create(Vertx.vertx(), target, "test");
  }

  /** What a drill does. */
  interface Course {
    /** Runs to the end of the drill. */
    void run(Drill drill) throws Exception;
  }

  /** Runs a drill on a Postgres of its own, with leases of this length unless a process asks for others. */
  static void run(String name, Duration lease, Course course) throws Exception {
    run(name, lease, EmbeddedPostgres.builder().setting("max_connections", "250"), course);
  }

  /** The same with another server. */
  static void run(String name, Duration lease, EmbeddedPostgres.Builder server, Course course)
      throws Exception {
    Path folder = Files.createDirectories(Path.of("target", "drills", name));
    try (EmbeddedPostgres postgres = server.start()) {
      new Drill(name, folder, postgres, lease).run(course);
    }
  }

  private void run(Course course) throws Exception {
    try {
      Await.result(runtime.runlane().start());
      DrillTables.create(database);
      course.run(this);
      report("took " + Duration.between(begun, Instant.now()).toSeconds() + " s");
      System.out.println("drill " + name + ": " + String.join("; ", report));
    } catch (Throwable failure) {
      System.out.println("drill " + name + " failed after: " + String.join("; ", report));
      processes.forEach(process -> System.out.println(
          "---- " + process.output().file() + "\n" + process.output().tail()));
      throw failure;
    } finally {
      close();
    }
  }

  private void close() {
    processes.forEach(JavaProcess::close);
    database.close();
    Await.result(runtime
        .close()
        .onFailure(failure -> System.out.println("drill " + name + ": " + failure))
        .eventually(() -> runtime.vertx().close())
        .otherwiseEmpty());
  }

  EmbeddedPostgres postgres() {
    return postgres;
  }

  PostgresAddress address() {
    return address;
  }

  Database database() {
    return database;
  }

  /** Kills Postgres with all its processes and starts it again; answers how long that took. */
  Duration crashPostgres() {
    Instant killed = Instant.now();
    postgres.kill();
    postgres.restart();
    database.close();
    return Duration.between(killed, Instant.now());
  }

  DrillTarget target() {
    return target;
  }

  /** A started runtime in this JVM, without roles. */
  DrillRuntime runtime() {
    return runtime;
  }

  /** Adds a sentence to the report. */
  void report(String sentence) {
    report.add(sentence);
  }

  /** Forks a program. */
  JavaProcess fork(String processName, Class<?> program, List<String> arguments) {
    JavaProcess process = JavaProcess.start(folder, processName, program, arguments);
    processes.add(process);
    return process;
  }

  /** Forks a worker with all roles, which is perhaps not ready yet. */
  JavaProcess forkWorker(String workerId) {
    return fork(workerId, WorkerProgram.class, with(target, workerId));
  }

  /** Forks one whose clock differs from that of the others by as much as is tolerated at most. */
  JavaProcess forkWorker(String workerId, Random random) {
    long most = target.toleratedSkew().toMillis() / 2;
    DrillTarget skewed = target.withClockOffset(Duration.ofMillis(random.nextLong(-most, most)));
    return fork(workerId, WorkerProgram.class, with(skewed, workerId));
  }

  /** The arguments of a program: the target, then its own. */
  static List<String> with(DrillTarget target, Object... own) {
    List<String> arguments = new ArrayList<>(target.toArguments());
    for (Object argument : own) {
      arguments.add(argument.toString());
    }
    return arguments;
  }

  /** Waits until a forked program tells that it is ready. */
  void awaitReady(JavaProcess process) {
    process.awaitLine("ready", START);
  }

  long activeRuns() {
    return activeRuns(target.environment());
  }

  long activeRuns(String environment) {
    return database.number(ACTIVE, environment);
  }

  long endedRuns() {
    return database.number(ENDED, target.environment());
  }

  long outboxMessages(String environment) {
    return database.number(MESSAGES, environment);
  }

  /** Waits until no run is active and no outbox message is left. */
  void awaitDone(Duration atMost) {
    awaitDone(target.environment(), atMost);
  }

  void awaitDone(String environment, Duration atMost) {
    Await.until(
        "no run of " + environment + " is active and its outbox is empty",
        atMost,
        () -> activeRuns(environment) == 0 && outboxMessages(environment) == 0);
  }

  /** Waits until the schedule's only fire has its run. */
  void awaitScheduledRun(String environment, Duration atMost) {
    Await.until(
        "the schedule of " + environment + " has its run",
        atMost,
        () -> database.number(FIRES, environment) == 1);
  }

  /** Reads what is stored and asserts that no promise is broken. */
  StoredState check() {
    return check(target.scope());
  }

  StoredState check(Environment environment) {
    StoredState state = new StoredStateReader(database, runtime.storage()).read(environment);
    assertThat(new HistoryChecker(DrillTasks.policies(), target.toleratedSkew()).violations(state))
        .isEmpty();
    assertThat(state.histories())
        .filteredOn(
            history -> DrillTasks.SCHEDULE.equals(history.stored().source().scheduleId()))
        .as("runs of the schedule's only fire")
        .hasSizeLessThanOrEqualTo(1);
    return state;
  }

  /** Asserts that every capacity row counts right, in the midst of work. */
  void checkCapacityRows() {
    assertThat(new StoredStateReader(database, runtime.storage()).partitions(target.scope()))
        .allMatch(use -> use.counted() == use.occupied());
  }
}
