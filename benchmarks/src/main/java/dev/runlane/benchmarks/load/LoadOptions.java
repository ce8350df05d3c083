package dev.runlane.benchmarks.load;

import dev.runlane.benchmarks.measure.Statements;
import dev.runlane.benchmarks.subject.Role;
import dev.runlane.benchmarks.subject.Workload;
import dev.runlane.runtime.worker.WorkerOptions;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The command line.
 *
 * @param workloads names of workloads, or what they start with; none: all
 * @param rounds of which the medians are taken
 * @param runs of each workload but {@code latency}
 * @param concurrency of the workers
 * @param stored of the workloads {@code drain-history}, which has none that wait, and {@code filled-drain}
 * @param json a file that gets one JSON object a line, besides standard output
 * @param jvmOptions of the measured processes
 * @param peers whether pg-boss, Graphile Worker and the floor are measured too
 * @param kafka whether this build is measured with wakeups over a broker, too
 * @param details what else than costs is looked at
 * @param observed whether this build is measured with all its telemetry, too
 * @param project the folder of this project, for the packages of those
 * @param beside folders of other builds of this project, each measured in turn with this one
 * @param settings of the server, besides those that are always set, such as for its log
 */
record LoadOptions(
    List<String> workloads,
    int rounds,
    int runs,
    int concurrency,
    Workload.Stored stored,
    @Nullable Path json,
    List<String> jvmOptions,
    boolean peers,
    boolean observed,
    boolean kafka,
    Set<Bench.Detail> details,
    Path project,
    List<Path> beside,
    Map<String, String> settings) {
  static final String USAGE = """
      usage: run [workload...] [--rounds 3] [--runs 20000] [--concurrency 128] [--history 10000] [--waiting 1000]
                 [--json FILE] [--jvm OPTION]... [--setting NAME=VALUE]... [--beside FOLDER]... [--peers]
                 [--observed] [--kafka] [--log-volume] [--statements]
      workloads: enqueue enqueue-threads enqueue-keys enqueue-many drain drain-default drain-history bounded bounded-1000
      bounded-keys bounded-keys-10 latency deployed-drain filled-drain slow-disk-drain processes-1 processes-2; a name stands for all that begin with it, a name and = for it alone;
      without any, all are measured
      --peers: pg-boss, Graphile Worker and the floor beside, as far as they can be had
      --observed: the same with metrics, traces of every run and depths, in turn with it
      --kafka: latency and deployed-drain with wakeups over a Kafka broker, too
      --statements: how many statements a run, and how many blocks they read
      --log-volume: what the server's log consists of, by relation and kind of record, a run
      --beside: a checkout of another build, its load program built, to be measured in turn with this one""";

  /** Every commit takes 2 ms more. */
  private static final Map<String, String> SLOW_DISK =
      Map.of("commit_delay", "2000", "commit_siblings", "0");

  static LoadOptions parse(String[] args) {
    Deque<String> left = new ArrayDeque<>(List.of(args));
    List<String> workloads = new ArrayList<>();
    List<String> jvmOptions = new ArrayList<>();
    List<Path> beside = new ArrayList<>();
    Map<String, String> settings = new LinkedHashMap<>();
    int rounds = 3;
    int runs = 20_000;
    int concurrency = 128;
    int ended = 10_000;
    int waiting = 1_000;
    Path json = null;
    boolean peers = false;
    boolean observed = false;
    boolean kafka = false;
    Set<Bench.Detail> details = EnumSet.noneOf(Bench.Detail.class);
    Path project = Path.of(System.getProperty("runlane.project", "."));
    while (!left.isEmpty()) {
      String arg = left.remove();
      switch (arg) {
        case "--rounds" -> rounds = number(arg, left);
        case "--runs" -> runs = number(arg, left);
        case "--concurrency" -> concurrency = number(arg, left);
        case "--history" -> ended = number(arg, left);
        case "--waiting" -> waiting = number(arg, left);
        case "--json" -> json = Path.of(value(arg, left));
        case "--jvm" -> jvmOptions.add(value(arg, left));
        case "--peers" -> peers = true;
        case "--observed" -> observed = true;
        case "--kafka" -> kafka = true;
        case "--log-volume" -> details.add(Bench.Detail.LOG_VOLUME);
        case "--statements" -> details.add(Bench.Detail.STATEMENTS);
        case "--beside" -> beside.add(Path.of(value(arg, left)));
        case "--setting" -> setting(value(arg, left), settings);
        default -> workloads.add(name(arg));
      }
    }
    return new LoadOptions(
        workloads,
        rounds,
        runs,
        concurrency,
        new Workload.Stored(ended, waiting),
        json,
        jvmOptions,
        peers,
        observed,
        kafka,
        details,
        project,
        beside,
        settings);
  }

  private static boolean isNamed(Workload workload, String name) {
    return workload.name().startsWith(name) || name.equals(workload.name() + '=');
  }

  private static void setting(String text, Map<String, String> settings) {
    int equals = text.indexOf('=');
    if (equals < 1) {
      throw new IllegalArgumentException("--setting needs NAME=VALUE, not " + text);
    }
    settings.put(text.substring(0, equals), text.substring(equals + 1));
  }

  private static String name(String arg) {
    if (arg.startsWith("-")) {
      throw new IllegalArgumentException("unknown option " + arg);
    }
    return arg;
  }

  private static int number(String option, Deque<String> left) {
    String value = value(option, left);
    try {
      int number = Integer.parseInt(value);
      if (number > 0) {
        return number;
      }
    } catch (NumberFormatException malformed) {
      // refused below, as a number that is too small is
    }
    throw new IllegalArgumentException(option + " needs a whole number from 1 on, not " + value);
  }

  private static String value(String option, Deque<String> left) {
    String value = left.poll();
    if (value == null) {
      throw new IllegalArgumentException(option + " needs a value");
    }
    return value;
  }

  /** The workloads asked for, in the order in which each round measures them. */
  List<Workload> selected() {
    List<Workload> all = List.of(
        Workload.of("enqueue-16", Role.ENQUEUE, runs, 16),
        Workload.of("enqueue-128", Role.ENQUEUE, runs, 128),
        Workload.of("enqueue-threads-16", Role.ENQUEUE_THREADS, runs, 16),
        Workload.of("enqueue-threads-128", Role.ENQUEUE_THREADS, runs, 128),
        Workload.of("enqueue-keys-128", Role.ENQUEUE_KEYED, runs, 128),
        Workload.of("enqueue-many", Role.ENQUEUE_MANY, runs, 2),
        Workload.of("drain", Role.DRAIN, runs, concurrency),
        Workload.of("drain-16", Role.DRAIN, runs, 16),
        Workload.of("drain-default", Role.DRAIN, runs, WorkerOptions.DEFAULT_CONCURRENCY),
        Workload.of("drain-history", Role.DRAIN, runs, concurrency).behind(stored.ended(), 0),
        Workload.of("bounded", Role.DRAIN, runs, concurrency).bounded(100, 10),
        Workload.of("bounded-1000", Role.DRAIN, runs, concurrency).bounded(1_000, 1),
        Workload.of("bounded-keys", Role.DRAIN, runs, concurrency).bounded(2 * runs, 1),
        Workload.of("bounded-keys-10", Role.DRAIN, runs, concurrency).bounded(2 * runs, 10),
        Workload.of("latency", Role.PACED_TRIGGER, runs, 200)
            .sized(Math.min(runs, 2_000), 3 * runs),
        Workload.of("deployed-drain", Role.DEPLOYED_DRAIN, runs, concurrency),
        Workload.of("filled-drain", Role.DRAIN, runs, concurrency)
            .behind(stored.ended(), stored.waiting()),
        Workload.of("slow-disk-drain", Role.DRAIN, runs, concurrency).on(SLOW_DISK),
        processes(1),
        processes(2));
    List<Workload> selected = all.stream()
        .filter(workload ->
            workloads.isEmpty() || workloads.stream().anyMatch(name -> isNamed(workload, name)))
        .toList();
    if (selected.isEmpty()) {
      throw new IllegalArgumentException("no workload begins with any of " + workloads);
    }
    return selected;
  }

  /** Warm ones: what compilers do meanwhile would be in each process's share of a core. */
  private Workload processes(int workers) {
    return Workload.of("processes-" + workers, Role.SHARED_DRAIN, runs, concurrency)
        .sized(runs, 2 * runs)
        .sharedBy(workers);
  }

  /** Of the server, besides those that are always set. */
  Map<String, String> serverSettings() {
    Map<String, String> all = new LinkedHashMap<>();
    if (details.contains(Bench.Detail.STATEMENTS)) {
      all.putAll(Statements.SETTINGS);
    }
    all.putAll(settings);
    return all;
  }
}
