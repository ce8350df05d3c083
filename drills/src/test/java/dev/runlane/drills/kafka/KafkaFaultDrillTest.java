package dev.runlane.drills.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.PacedLoad;
import dev.runlane.drills.fleet.TopicReader;
import dev.runlane.drills.fleet.WorkItem;
import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.drills.history.Recoveries;
import dev.runlane.drills.history.Recoveries.Fault;
import dev.runlane.drills.history.Recoveries.Finish;
import dev.runlane.drills.history.Recoveries.Recovery;
import dev.runlane.drills.history.TopicState;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.drills.process.WakeupCounts;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.simulation.history.LostAttempts;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.testinfra.process.FrozenProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class KafkaFaultDrillTest {
  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final int ITEMS = FULL ? 30_000 : 800;
  private static final int WORKERS = 3;
  private static final Duration AWAY = Duration.ofSeconds(FULL ? 10 : 2);
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final Duration STOP = Duration.ofMinutes(3);

  private static final String LEASED =
      "SELECT run_id FROM runlane.active_runs WHERE lease_worker = ?";

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<JavaProcess> workers = new ArrayList<>();
  private final List<JavaProcess> everybody = new ArrayList<>();
  private final Map<String, Duration> offsets = new HashMap<>();
  private final List<Inflicted> inflicted = new ArrayList<>();

  /** What happens to a fleet, and how often in the two sizes. */
  private enum Kind {
    WORKER_KILLED(1, 5),
    WORKER_PAUSED(0, 2),
    WORKER_ADDED(0, 2),
    WORKER_REMOVED(0, 2),
    KAFKA_KILLED(1, 2),
    KAFKA_AND_WORKER_KILLED(0, 1),
    POSTGRES_KILLED(1, 2);

    /** Of which the short form has one, which the seed draws. */
    private static final List<Kind> DRAWN = List.of(WORKER_PAUSED, WORKER_ADDED, WORKER_REMOVED);

    private final int times;

    Kind(int inShort, int inFull) {
      times = FULL ? inFull : inShort;
    }
  }

  /**
   * A fault.
   *
   * @param name what happened, and how it went
   * @param hit the attempts that show that the part it hit works again
   * @param kafkaBegan when the broker was started again; null when it was not the broker
   */
  private record Inflicted(
      String name,
      Instant at,
      Predicate<Finish> hit,
      @Nullable Instant kafkaBegan) {}

  @Test
  void runs_end_once_each_while_workers_the_broker_and_postgres_fail() throws Exception {
    System.out.println("kafka fault drill: " + ITEMS + " items, -Ddrills.seed=" + seed);

    Drill.runOnKafka("kafka-faults", LEASE, drill -> {
      while (workers.size() < WORKERS) {
        start(drill);
      }
      workers.forEach(drill::awaitReady);
      Instant begun = Instant.now();
      PacedLoad load = PacedLoad.start(drill, seed, ITEMS, BOUND);
      List<Kind> kinds = shuffled();
      int part = PacedLoad.part(ITEMS, 2 * kinds.size());
      for (Kind kind : kinds) {
        load.add(part, part / 4);
        inflict(drill, kind);
        load.add(part, part * 3 / 4);
      }
      load.addRest();
      awaitWoken(drill);
      Instant endOfLoad = Instant.now();
      drill.awaitDone(BOUND);
      Duration took = Duration.between(begun, Instant.now());
      TopicState topics = drill.checkTopics(workers, 0, BOUND);
      StoredState state = drill.check();

      drill.checkLimitsWereReached(state);
      assertThat(workers).allMatch(JavaProcess::isAlive);
      assertThat(state.partitions()).allMatch(use -> use.counted() == 0);
      assertThat(state.histories()).hasSizeGreaterThan(ITEMS * 9 / 10);
      drill.report(state.histories().size() + " runs in " + took.toSeconds() + " s");
      drill.report(state.effects().size() + " attempts, "
          + LostAttempts.in(state.histories()).size() + " lost with their worker");
      drill.report(topics.records() + " wakeups, lag " + topics.lag() + ", "
          + topics.deadLetters().values().stream().mapToLong(Long::longValue).sum()
          + " dead letters");
      reportRecoveries(drill, Recoveries.in(state.histories(), offsets), endOfLoad);
    });
  }

  private List<Kind> shuffled() {
    List<Kind> kinds = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      kinds.addAll(Collections.nCopies(kind.times, kind));
    }
    if (!FULL) {
      kinds.add(Kind.DRAWN.get(random.nextInt(Kind.DRAWN.size())));
    }
    Collections.shuffle(kinds, random);
    return kinds;
  }

  private void inflict(Drill drill, Kind kind) {
    switch (kind) {
      case WORKER_KILLED -> killWorker(drill);
      case WORKER_PAUSED -> pauseWorker(drill);
      case WORKER_ADDED -> addWorker(drill);
      case WORKER_REMOVED -> removeWorker(drill);
      case KAFKA_KILLED -> killKafka(drill, false);
      case KAFKA_AND_WORKER_KILLED -> killKafka(drill, true);
      case POSTGRES_KILLED -> killPostgres(drill);
    }
    drill.checkCapacityRows();
  }

  private void killWorker(Drill drill) {
    Instant at = Instant.now();
    JavaProcess victim = takeWorker();
    victim.kill();
    Set<String> held = leases(drill, victim);
    start(drill);
    hit(victim.name() + " killed", at, held);
  }

  /** Past its lease and past the patience of the group, so that both think that it is gone. */
  private void pauseWorker(Drill drill) {
    Instant at = Instant.now();
    JavaProcess victim = workers.get(random.nextInt(workers.size()));
    FrozenProcess paused = victim.pause();
    Set<String> held = leases(drill, victim);
    try (TopicReader reader = new TopicReader(drill.kafka().bootstrapServers())) {
      Await.until(
          "its leases and partitions are taken over",
          BOUND,
          () -> leases(drill, victim).isEmpty() && !reader.hasMember(victim.name()));
    }
    paused.close();
    hit(victim.name() + " stopped for " + since(at) + " ms", at, held);
  }

  private void addWorker(Drill drill) {
    Instant at = Instant.now();
    JavaProcess added = start(drill);
    drill.awaitReady(added);
    String name = added.name() + " added, ready after " + since(at) + " ms";
    inflicted.add(new Inflicted(name, at, finish -> finish.worker().equals(added.name()), null));
  }

  private void removeWorker(Drill drill) {
    JavaProcess victim = takeWorker();
    drill.awaitReady(victim);
    Instant at = Instant.now();
    victim.terminate();
    victim.awaitLine("stopped", STOP);
    victim.awaitExit(STOP);
    String name = victim.name() + " removed, stopped within " + since(at) + " ms";
    assertThat(leases(drill, victim)).isEmpty();
    if (workers.size() < WORKERS) {
      start(drill);
    }
    inflicted.add(new Inflicted(name, at, finish -> !finish.worker().equals(victim.name()), null));
  }

  private void killKafka(Drill drill, boolean workerToo) {
    Instant at = Instant.now();
    if (workerToo) {
      drill.kafka().kill();
      killWorker(drill);
    }
    String name = "Kafka killed, was away for " + drill.crashKafka(AWAY).toMillis() + " ms";
    inflicted.add(new Inflicted(name, at, finish -> true, at.plus(AWAY)));
  }

  /** A process that is being started while Postgres is away ends, as it should; a supervisor is not drilled. */
  private void killPostgres(Drill drill) {
    workers.forEach(drill::awaitReady);
    Instant at = Instant.now();
    String name = "Postgres killed, was away for " + drill.crashPostgres(AWAY).toMillis() + " ms";
    Instant began = at.plus(AWAY);
    inflicted.add(new Inflicted(name, at, finish -> finish.at().isAfter(began), null));
  }

  private void hit(String name, Instant at, Set<String> held) {
    inflicted.add(new Inflicted(
        name + ", held " + held.size() + " runs",
        at,
        finish -> held.contains(finish.runId()),
        null));
  }

  private JavaProcess start(Drill drill) {
    String name = "worker-" + everybody.size();
    Duration offset = drill.target().randomOffset(random);
    JavaProcess worker = drill.forkWorker(name, offset);
    everybody.add(worker);
    offsets.put(name, offset);
    workers.add(worker);
    return worker;
  }

  private JavaProcess takeWorker() {
    return workers.remove(random.nextInt(workers.size()));
  }

  /** A poll may be sooner with all that was triggered since the broker was back. */
  private void awaitWoken(Drill drill) {
    Instant began = inflicted.stream()
        .map(Inflicted::kafkaBegan)
        .filter(Objects::nonNull)
        .max(Comparator.naturalOrder())
        .orElseThrow();
    AtomicInteger next = new AtomicInteger(ITEMS);
    Await.until("Kafka wakes workers", BOUND, () -> {
      boolean woken = firstWoken(began).isPresent();
      if (!woken) {
        Await.result(drill
            .runtime()
            .runlane()
            .trigger(
                drill.runtime().tasks().work(),
                new WorkItem(next.getAndIncrement(), Behaviour.SUCCEED, 0),
                new TriggerOptions()));
      }
      return woken;
    });
  }

  private static Set<String> leases(Drill drill, JavaProcess worker) {
    return new HashSet<>(drill.database().rows(LEASED, row -> row.getString(1), worker.name()));
  }

  private static long since(Instant at) {
    return Duration.between(at, Instant.now()).toMillis();
  }

  /** A line for each fault; after each of the broker's, wakeups must have been executed again. */
  private void reportRecoveries(Drill drill, Recoveries recoveries, Instant endOfLoad) {
    inflicted.sort(Comparator.comparing(Inflicted::at));
    for (int index = 0; index < inflicted.size(); index++) {
      Inflicted each = inflicted.get(index);
      Instant until = index + 1 < inflicted.size() ? inflicted.get(index + 1).at() : endOfLoad;
      Recovery recovery = recoveries.from(new Fault(each.name(), each.at(), until, each.hit()));
      String line = each.name() + ": " + recovery;
      if (each.kafkaBegan() != null) {
        Optional<Instant> woken = firstWoken(each.kafkaBegan());
        assertThat(woken).as("first attempt that Kafka woke after " + line).isPresent();
        line += ", first attempt that Kafka woke after "
            + Duration.between(each.at(), woken.orElseThrow()).toMillis() + " ms";
      }
      drill.report("\n  " + line);
    }
  }

  /** When somebody had executed a wakeup, once wakeups had been fetched after an instant. */
  private Optional<Instant> firstWoken(Instant after) {
    return firstGrowth(after, WakeupCounts::received)
        .flatMap(fetched -> firstGrowth(fetched, WakeupCounts::executed));
  }

  private Optional<Instant> firstGrowth(Instant after, ToLongFunction<WakeupCounts> count) {
    return everybody.stream()
        .flatMap(process -> {
          List<WakeupCounts.Told> told = WakeupCounts.toldBy(process);
          return IntStream.range(1, told.size())
              .filter(index -> !told.get(index).at().isBefore(after))
              .filter(index -> count.applyAsLong(told.get(index).counts())
                  > count.applyAsLong(told.get(index - 1).counts()))
              .mapToObj(index -> told.get(index).at());
        })
        .min(Instant::compareTo);
  }
}
