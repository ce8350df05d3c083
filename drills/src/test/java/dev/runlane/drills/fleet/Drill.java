package dev.runlane.drills.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.history.TopicRules;
import dev.runlane.drills.history.TopicState;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.Database;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.simulation.history.HistoryChecker;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServer;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One drill: a database of its own and perhaps a broker, the processes that work on it, and a look at what they
 * left. Whatever happens, every process is killed at the end; when it fails, their last output is printed.
 */
public final class Drill {
  static final Path FOLDERS = Path.of("target", "drills");
  static final Duration START = Duration.ofMinutes(2);

  private static final String ACTIVE =
      "SELECT count(*) FROM runlane.active_runs JOIN runlane.environments USING (env) WHERE environment_key = ?";
  private static final String MESSAGES =
      "SELECT count(*) FROM runlane.outbox_messages JOIN runlane.environments USING (env) WHERE environment_key = ?";
  private static final String PENDING_STEPS =
      "SELECT count(*) FROM runlane.pending_steps JOIN runlane.environments USING (env) WHERE environment_key = ?";
  private static final String STEP_RESULTS =
      "SELECT count(*) FROM runlane.run_events JOIN runlane.environments USING (env)"
          + " WHERE environment_key = ? AND type = 'run.step_completed'";
  private static final String CLAIMS =
      "SELECT count(*) FROM runlane.run_events WHERE type = 'run.lease_claimed' AND occurred_at > ?"
          + " AND strpos(body, ?) > 0";
  private static final String FIRES =
      "SELECT count(*) FROM runlane.schedule_occurrences JOIN runlane.environments USING (env)"
          + " WHERE environment_key = ? AND status = 'completed'";
  private static final String ENDED =
      "SELECT count(*) FROM runlane.terminal_runs JOIN runlane.environments USING (env) WHERE environment_key = ?";

  private final String name;
  private final Path folder;
  private final PostgresServer postgres;
  private final PostgresAddress address;
  private final Database database;
  private final @Nullable EmbeddedKafka kafka;
  private final DrillTarget target;
  private final DrillRuntime runtime;
  private final List<JavaProcess> processes = new CopyOnWriteArrayList<>();
  private final List<DrillRuntime> workers = new ArrayList<>();
  private final List<String> report = new ArrayList<>();
  private final List<String> classes = WorkerClasses.OPTIONS;
  private final Instant begun = Instant.now();
  private boolean tables;

  private Drill(
      String name,
      Path folder,
      PostgresServer postgres,
      UnaryOperator<PostgresAddress> way,
      @Nullable EmbeddedKafka kafka,
      Duration lease) {
    this.name = name;
    this.folder = folder;
    this.postgres = postgres;
    this.kafka = kafka;
    address = way.apply(postgres.createDatabase("drill"));
    database = new Database(address);
    target =
        DrillTarget.of(address, "drill", lease, kafka == null ? null : kafka.bootstrapServers());
    runtime = DrillRuntime.create(Vertx.vertx(), target, "test");
  }

  /** What a drill does. */
  public interface Course {
    /** Runs to the end of the drill. */
    void run(Drill drill) throws Exception;
  }

  /**
   * Runs a drill in which nothing happens to Postgres, on the server that tests share, with leases of this length
   * unless a process asks for others.
   */
  public static void run(String name, Duration lease, Course course) throws Exception {
    run(name, lease, PostgresServers.shared(), UnaryOperator.identity(), course);
  }

  /** Runs a drill whose wakeups go through a broker of its own as well. */
  public static void runOnKafka(String name, Duration lease, Course course) throws Exception {
    runOnKafka(name, lease, drill -> {}, course);
  }

  /** The same after something that happens before this version's runtime is started, on an empty database. */
  public static void runOnKafka(String name, Duration lease, Course before, Course course)
      throws Exception {
    Path folder = folder(name);
    try (EmbeddedKafka kafka = EmbeddedKafka.builder().start();
        EmbeddedPostgres postgres = server().start()) {
      new Drill(name, folder, postgres, UnaryOperator.identity(), kafka, lease).run(before, course);
    }
  }

  /** The same on a server of its own. */
  public static void run(
      String name, Duration lease, EmbeddedPostgres.Builder server, Course course)
      throws Exception {
    try (EmbeddedPostgres postgres = server.start()) {
      run(name, lease, postgres, UnaryOperator.identity(), course);
    }
  }

  /**
   * The same with a server that runs already.
   *
   * @param way how its database is reached
   */
  public static void run(
      String name,
      Duration lease,
      PostgresServer postgres,
      UnaryOperator<PostgresAddress> way,
      Course course)
      throws Exception {
    new Drill(name, folder(name), postgres, way, null, lease).run(course);
  }

  public static EmbeddedPostgres.Builder server() {
    return EmbeddedPostgres.builder().setting("max_connections", "250");
  }

  private static Path folder(String name) throws IOException {
    return Files.createDirectories(FOLDERS.resolve(name));
  }

  private void run(Course course) throws Exception {
    run(drill -> {}, course);
  }

  private void run(Course before, Course course) throws Exception {
    try {
      before.run(this);
      Await.result(runtime.runlane().start());
      Await.result(DrillTasks.rememberSchedule(runtime.storage(), target.scope()));
      createTables();
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

  /** Adds the drill's own tables to a database that has Runlane's; once. */
  public void createTables() {
    if (!tables) {
      DrillTables.create(database);
      tables = true;
    }
  }

  private void close() {
    processes.forEach(JavaProcess::close);
    database.close();
    closeWorkers();
    close(runtime);
  }

  /** Ends those in this JVM. */
  public void closeWorkers() {
    workers.forEach(this::close);
    workers.clear();
  }

  private void close(DrillRuntime each) {
    Await.result(each.close()
        .onFailure(failure -> System.out.println("drill " + name + ": " + failure))
        .eventually(() -> each.vertx().close())
        .otherwiseEmpty());
  }

  /** The server of a drill that has one of its own. */
  public EmbeddedPostgres postgres() {
    if (postgres instanceof EmbeddedPostgres own) {
      return own;
    }
    throw new IllegalStateException("drill " + name + " shares its server with other tests");
  }

  public PostgresAddress address() {
    return address;
  }

  public Database database() {
    return database;
  }

  /** The broker of a drill that runs on Kafka. */
  public EmbeddedKafka kafka() {
    if (kafka == null) {
      throw new IllegalStateException("drill " + name + " runs without a broker");
    }
    return kafka;
  }

  /** Kills the broker and starts it again after a while; answers how long it was away. */
  public Duration crashKafka(Duration away) {
    Instant killed = Instant.now();
    kafka().kill();
    pass(away);
    kafka().restart();
    return Duration.between(killed, Instant.now());
  }

  /** Lets time pass: for faults that last. */
  public void pass(Duration time) {
    Await.result(runtime.vertx().timer(time.toMillis(), TimeUnit.MILLISECONDS));
  }

  /** Kills Postgres with all its processes and starts it again; answers how long that took. */
  public Duration crashPostgres() {
    return crashPostgres(Duration.ZERO);
  }

  /** The same, but it stays away for a while. */
  public Duration crashPostgres(Duration away) {
    Instant killed = Instant.now();
    postgres().kill();
    if (!away.isZero()) {
      pass(away);
    }
    postgres().restart();
    database.close();
    return Duration.between(killed, Instant.now());
  }

  public DrillTarget target() {
    return target;
  }

  /** A started runtime in this JVM, without roles. */
  public DrillRuntime runtime() {
    return runtime;
  }

  /** Adds a sentence to the report. */
  public void report(String sentence) {
    report.add(sentence);
  }

  /** Forks a program. */
  public JavaProcess fork(String processName, Class<?> program, List<String> arguments) {
    JavaProcess process =
        JavaProcess.start(folder, processName, classes, program.getName(), arguments);
    processes.add(process);
    return process;
  }

  /** Forks a program of the previous version. */
  public JavaProcess fork(
      PreviousVersion version, String processName, Class<?> program, List<String> arguments) {
    JavaProcess process = JavaProcess.start(
        folder,
        processName,
        List.of("-cp", version.classPath()),
        PreviousVersion.nameOf(program),
        arguments);
    processes.add(process);
    return process;
  }

  /** Starts a worker with all roles in this JVM, for drills in which no process dies. */
  public DrillRuntime deployWorker(String workerId) {
    DrillRuntime worker = DrillRuntime.create(Vertx.vertx(), target, workerId);
    workers.add(worker);
    Await.result(worker.runlane().deploy(worker.vertx(), DrillRuntime.allRoles(workerId)));
    return worker;
  }

  /** Forks a worker with all roles, which is perhaps not ready yet. */
  public JavaProcess forkWorker(String workerId) {
    return fork(workerId, WorkerProgram.class, with(target, workerId));
  }

  /** Forks one that looks for work this often though nobody woke it. */
  public JavaProcess forkPollingWorker(String workerId, Duration poll) {
    return fork(workerId, WorkerProgram.class, with(target, workerId, poll));
  }

  /** Forks one whose clock differs from that of the others by as much as is tolerated at most. */
  public JavaProcess forkWorker(String workerId, Random random) {
    return forkWorker(workerId, target.randomOffset(random));
  }

  /** Forks one whose clock is ahead by this much. */
  public JavaProcess forkWorker(String workerId, Duration clockOffset) {
    DrillTarget skewed = target.withClockOffset(clockOffset);
    return fork(workerId, WorkerProgram.class, with(skewed, workerId));
  }

  /** The arguments of a program: the target, then its own. */
  public static List<String> with(DrillTarget target, Object... own) {
    List<String> arguments = new ArrayList<>(target.toArguments());
    for (Object argument : own) {
      arguments.add(argument.toString());
    }
    return arguments;
  }

  /** Waits until a forked program tells that it is ready. */
  public void awaitReady(JavaProcess process) {
    process.awaitLine("ready", START);
  }

  public long activeRuns() {
    return activeRuns(target.environment());
  }

  long activeRuns(String environment) {
    return database.number(ACTIVE, environment);
  }

  public long endedRuns() {
    return database.number(ENDED, target.environment());
  }

  public long outboxMessages(String environment) {
    return database.number(MESSAGES, environment);
  }

  public long pendingSteps(String environment) {
    return database.number(PENDING_STEPS, environment);
  }

  /** Whether a worker has claimed a run after this instant. */
  private boolean hasClaimedSince(Instant since, String worker) {
    return database.number(CLAIMS, since.atOffset(ZoneOffset.UTC), '"' + worker + '"') > 0;
  }

  /** Waits until each of these workers has claimed a run after this instant, of which there are more until then. */
  public void awaitClaims(List<String> workerIds, Instant since, Duration atMost, Runnable more) {
    Await.until("all of " + workerIds + " claim runs", atMost, () -> {
      boolean all = workerIds.stream().allMatch(worker -> hasClaimedSince(since, worker));
      if (!all) {
        more.run();
      }
      return all;
    });
  }

  /** How many results of steps are in the histories. */
  public long stepResults() {
    return database.number(STEP_RESULTS, target.environment());
  }

  /** Pending steps of an environment, and the rows of its step tables. */
  public long openSteps(String environment) {
    String prefix = RemoteRuntime.prefix(environment);
    return pendingSteps(environment)
        + database.number("SELECT count(*) FROM " + prefix + "_transport_tasks")
        + database.number("SELECT count(*) FROM " + prefix + "_transport_results");
  }

  /**
   * Waits until the schedule's only fire has its run, no run is active and no outbox message is left. For drills whose
   * workers have the schedule: one of them may be late with it, and nobody is to work while the histories are read.
   */
  public void awaitDone(Duration atMost) {
    awaitScheduledRun(target.environment(), atMost);
    awaitDone(target.environment(), atMost);
  }

  /** Waits until no run of an environment is active and no outbox message is left. */
  public void awaitDone(String environment, Duration atMost) {
    Await.until(
        "no run of " + environment + " is active and its outbox is empty",
        atMost,
        () -> activeRuns(environment) == 0 && outboxMessages(environment) == 0);
  }

  /** Waits until no wakeup is left unsettled, then asserts that the group has kept its promises. */
  public TopicState checkTopics(
      Collection<JavaProcess> members, long deadLetters, Duration atMost) {
    Set<String> names =
        members.stream().map(JavaProcess::name).collect(Collectors.toUnmodifiableSet());
    TopicRules rules = new TopicRules(names, deadLetters);
    try (TopicReader reader = new TopicReader(kafka().bootstrapServers())) {
      List<TopicState> last = new ArrayList<>(List.of(reader.read()));
      try {
        Await.until("no partition has a lag and all have owners", atMost, () -> {
          last.set(0, reader.read());
          return rules.violations(last.get(0)).isEmpty();
        });
      } catch (AssertionError late) {
        assertThat(rules.violations(last.get(0))).isEmpty();
        throw late;
      }
      return last.get(0);
    }
  }

  /** Waits until the schedule's only fire has its run. */
  public void awaitScheduledRun(String environment, Duration atMost) {
    Await.until(
        "the schedule of " + environment + " has its run",
        atMost,
        () -> hasScheduledRun(environment));
  }

  /** Whether the schedule's only fire has its run. */
  public boolean hasScheduledRun(String environment) {
    return database.number(FIRES, environment) == 1;
  }

  /** Reads what is stored and asserts that no promise is broken. */
  public StoredState check() {
    return check(target.scope());
  }

  public StoredState check(Environment environment) {
    StoredState state = read(environment);
    return check(state, checker(DrillTasks.policies()));
  }

  /** Reads what is stored and holds it to all promises but that wakeups were published. */
  public StoredState checkUnpublished() {
    return check(read(target.scope()), checker(DrillTasks.policies()).allowingUnpublished());
  }

  /** On the lane without a broker, the storage wakes by itself. */
  private HistoryChecker checker(Collection<QueuePolicy> policies) {
    HistoryChecker checker = new HistoryChecker(policies, target.toleratedSkew());
    return target.kafka() == null ? checker.allowingWakingStorage() : checker;
  }

  private StoredState read(Environment environment) {
    return new StoredStateReader(database, runtime.storage()).read(environment);
  }

  private static StoredState check(StoredState state, HistoryChecker checker) {
    assertThat(checker.violations(state)).isEmpty();
    assertThat(state.histories())
        .filteredOn(
            history -> DrillTasks.SCHEDULE.equals(history.stored().source().scheduleId()))
        .as("runs of the schedule's only fire")
        .hasSizeLessThanOrEqualTo(1);
    return state;
  }

  /** Asserts that each limit was reached: one that never is would be kept by anybody. */
  public void checkLimitsWereReached(StoredState state) {
    for (QueuePolicy policy : DrillTasks.policies()) {
      if (policy.concurrencyLimit() != null) {
        QueuePolicy tighter = QueuePolicy.bounded(policy.queue(), policy.concurrencyLimit() - 1);
        assertThat(checker(List.of(tighter)).violations(state))
            .as("violations of %s", tighter)
            .isNotEmpty()
            .allMatch(violation -> violation.rule() == Rule.LIMIT);
      }
    }
  }

  /** Asserts that every capacity row counts right, in the midst of work. */
  public void checkCapacityRows() {
    assertThat(new StoredStateReader(database, runtime.storage()).partitions(target.scope()))
        .allMatch(use -> use.counted() == use.occupied());
  }
}
