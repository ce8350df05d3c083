package dev.runlane.drills.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.fleet.PreviousVersion;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.fleet.WorkerProgram;
import dev.runlane.drills.fleet.Workload;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.run.RunRecord;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The previous version and this one on one schema and one broker, under load: its processes first, this version's
 * migration in the midst of their work, a rolling upgrade, and the way back. Beside them two applications whose
 * schedules have one id.
 */
@Tag("two-versions")
@DisplayNameGeneration(ReplaceUnderscores.class)
class TwoVersionsDrillTest {
  private static final int ITEMS = Integer.getInteger("drills.items", 6_000);
  private static final int THIRD = ITEMS / 3 / TriggerProgram.TOGETHER * TriggerProgram.TOGETHER;
  private static final int BACKLOG = 400;
  private static final int DEATHS = 4;
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final Duration BOUND = Duration.ofMinutes(4);
  private static final List<String> APPLICATIONS = List.of("app.one", "app.other");

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final PreviousVersion previous = PreviousVersion.built();
  private final List<JavaProcess> workers = new ArrayList<>();
  private final Map<String, JavaProcess> schedulers = new HashMap<>();
  private JavaProcess caller;
  private int started;

  @Test
  void an_upgrade_and_a_rollback_under_load_lose_and_double_nothing() throws Exception {
    System.out.println("two versions drill: " + ITEMS + " items, -Ddrills.seed=" + seed);

    Drill.runOnKafka("two-versions", LEASE, this::previousAtWork, drill -> {
      upgrade(drill);
      Instant upgraded = nextSecond();
      caller = call(drill, false, THIRD, 2 * THIRD);
      killSchedulers(drill);
      assertThat(caller.awaitExit(BOUND)).isZero();
      Instant complete = nextSecond();
      awaitFires(drill, upgraded, complete);
      rollBack(drill);
      assertThat(caller.awaitExit(BOUND)).isZero();
      drill.awaitDone(drill.target().environment(), BOUND);
      schedulers.values().forEach(JavaProcess::kill);

      StoredState state = drill.check();
      assertThat(lost(state)).as("items without a run").isEmpty();
      assertEachFireOnce(drill);
      drill.report(state.histories().size() + " runs, "
          + Duration.between(upgraded, complete).toSeconds() + " fires of each application while"
          + " all schedulers were of this version");
    });
  }

  /** Every item has its run, but for those that share a key. */
  private static List<Integer> lost(StoredState state) {
    Set<Integer> there = state.histories().stream()
        .filter(history -> history.stored().source().scheduleId() == null)
        .map(history -> new JsonObject(history.stored().payload().text()).getInteger("number"))
        .collect(Collectors.toSet());
    return IntStream.range(0, ITEMS)
        .filter(number -> !there.contains(number) && !there.contains(Workload.sameKeyAs(number)))
        .filter(number -> !Workload.isSingleton(number))
        .boxed()
        .toList();
  }

  /** On an empty database, which a caller without items brings forward: nothing works before the drill's tables. */
  private void previousAtWork(Drill drill) {
    assertThat(call(drill, true, 0, 0).awaitExit(BOUND)).isZero();
    drill.createTables();
    startWorker(drill, true);
    startWorker(drill, true);
    APPLICATIONS.forEach(application -> startScheduler(drill, true, application));
    caller = call(drill, true, 0, THIRD);
    Await.until("the previous version is at work", BOUND, () -> drill.endedRuns() > 100);
  }

  /** The schema has been brought forward meanwhile, by the drill's own runtime. */
  private void upgrade(Drill drill) {
    startWorker(drill, false);
    workers.remove(0).kill();
    startWorker(drill, false);
    JavaProcess last = workers.remove(0);
    last.terminate();
    last.awaitExit(BOUND);
    for (String application : APPLICATIONS) {
      JavaProcess before = schedulers.get(application);
      startScheduler(drill, false, application);
      before.kill();
    }
    assertThat(caller.awaitExit(BOUND)).isZero();
  }

  private void killSchedulers(Drill drill) {
    for (int death = 0; death < DEATHS; death++) {
      String application = APPLICATIONS.get(death % APPLICATIONS.size());
      schedulers.get(application).kill();
      startScheduler(drill, false, application);
    }
  }

  private void rollBack(Drill drill) {
    caller = call(drill, true, 2 * THIRD, ITEMS);
    startWorker(drill, true);
    JavaProcess first = workers.remove(0);
    first.terminate();
    first.awaitExit(BOUND);
    startWorker(drill, true);
    workers.remove(0).kill();
    for (String application : APPLICATIONS) {
      JavaProcess before = schedulers.get(application);
      startScheduler(drill, true, application);
      before.kill();
    }
  }

  private void startWorker(Drill drill, boolean old) {
    String name = (old ? "previous-" : "this-") + started++;
    List<String> arguments = Drill.with(drill.target(), name);
    JavaProcess worker = old
        ? drill.fork(previous, name, WorkerProgram.class, arguments)
        : drill.fork(name, WorkerProgram.class, arguments);
    drill.awaitReady(worker);
    workers.add(worker);
  }

  private void startScheduler(Drill drill, boolean old, String application) {
    String name = application + (old ? "-previous-" : "-this-") + started++;
    List<String> arguments = Drill.with(ofSchedules(drill), application);
    JavaProcess scheduler = old
        ? drill.fork(previous, name, ScheduleProgram.class, arguments)
        : drill.fork(name, ScheduleProgram.class, arguments);
    drill.awaitReady(scheduler);
    schedulers.put(application, scheduler);
  }

  private JavaProcess call(Drill drill, boolean old, int from, int to) {
    String name = "caller-" + started++;
    List<String> arguments = Drill.with(drill.target(), seed, from, to, BACKLOG);
    JavaProcess made = old
        ? drill.fork(previous, name, TriggerProgram.class, arguments)
        : drill.fork(name, TriggerProgram.class, arguments);
    made.send(String.valueOf(to));
    return made;
  }

  private static DrillTarget ofSchedules(Drill drill) {
    return drill.target().withEnvironment("schedules");
  }

  private static Instant nextSecond() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
  }

  /** Each application has a run of every fire between the two. */
  private void awaitFires(Drill drill, Instant from, Instant to) {
    for (String application : APPLICATIONS) {
      Await.until("all fires of " + application, BOUND, () -> {
        Map<Instant, Integer> fires = fires(drill, application);
        for (Instant fire = from; !fire.isAfter(to); fire = fire.plus(ScheduleProgram.EVERY)) {
          if (!fires.containsKey(fire)) {
            return false;
          }
        }
        return true;
      });
    }
  }

  private static void assertEachFireOnce(Drill drill) {
    for (String application : APPLICATIONS) {
      assertThat(fires(drill, application))
          .as("fires of %s", application)
          .isNotEmpty()
          .allSatisfy((fire, runs) -> assertThat(runs).isEqualTo(1));
    }
  }

  /** How many runs each fire has. */
  private static Map<Instant, Integer> fires(Drill drill, String application) {
    DrillTarget target = ofSchedules(drill);
    Map<Instant, Integer> fires = new HashMap<>();
    String cursor = null;
    do {
      Page<RunSummary> page = Await.result(drill
          .runtime()
          .storage()
          .listRuns(
              new ListRuns(target.scope(), RunFilter.ALL, RunSort.NEWEST_FIRST, 200, cursor)));
      List<Future<RunRecord>> runs = page.data().stream()
          .filter(run -> run.taskId().equals(application))
          .map(run -> drill
              .runtime()
              .storage()
              .getRun(new GetRun(target.scope(), run.id()))
              .map(found -> found.orElseThrow()))
          .toList();
      runs.forEach(run -> fires.merge(Await.result(run).source().fireAt(), 1, Integer::sum));
      cursor = page.nextCursor();
    } while (cursor != null);
    return fires;
  }
}
