package dev.runlane.simulation.fleet;

import dev.runlane.run.Environment;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.KeyReset;
import dev.runlane.simulation.history.LimitAt;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.StoredState.Effect;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.Broker;
import dev.runlane.simulation.network.Hints;
import dev.runlane.simulation.network.RemoteCalls;
import dev.runlane.simulation.network.StorageLine;
import dev.runlane.simulation.network.WakeupTransport;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.ProcessClock;
import dev.runlane.simulation.world.ProcessTimers;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.transport.DeliveryMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All processes of one world, on one storage and one transport, and the faults that hit them. A process that dies
 * or does not come up is started again, as a supervisor would.
 */
public final class Fleet {
  /** The scope of all runs. */
  public static final Environment ENVIRONMENT = new Environment(RunlaneOptions.DEFAULT_ENVIRONMENT);

  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration LATER = Duration.ofSeconds(10);

  private final long seed;
  private final Setup setup;
  private final Faults faults;
  private final VirtualTime time;
  private final Trace trace;
  private final Consumer<Violation> found;
  private final StorageAdapter storage;
  private final StoredRuns stored;
  private final PruneWatch prunes;
  private final WakeupTransport transport;
  private final HandlerLog handlers;
  private final LimitHistory limits;
  private final Calm calm;
  private final List<KeyReset> resets = new ArrayList<>();
  private final Chance trips;
  private final Chance restarts;
  private final Optional<StepWorkers> steps;
  private final List<Place> places = new ArrayList<>();
  private boolean closing;

  /**
   * @param clocksDiffer how far two clocks are apart at most
   * @param found is told of everything that must not be
   */
  public Fleet(
      long seed,
      Setup setup,
      Faults faults,
      Duration clocksDiffer,
      VirtualTime time,
      Trace trace,
      Consumer<Violation> found) {
    this.seed = seed;
    this.setup = setup;
    this.faults = faults;
    this.time = time;
    this.trace = trace;
    this.found = found;
    MemoryStorage memory =
        new MemoryStorage(new Ids(time::instant, Randomness.seeded(seed)), time::instant);
    stored = new StoredRuns(ENVIRONMENT, memory);
    prunes = new PruneWatch(
        stored, time::instant, setup.leastKept(), clocksDiffer, this::isReset, found);
    storage = RemoteCalls.to(StorageAdapter.class, memory, prunes);
    transport = makeTransport();
    limits = new LimitHistory(faults.all(), setup.habits().poisoned() == 0);
    calm = new Calm(faults.all());
    handlers = new HandlerLog(time, trace, stored, this::tolerated, found);
    trips = Chance.of(seed, "trips");
    restarts = Chance.of(seed, "restarts");
    steps = setup.stepWorkers() == 0
        ? Optional.empty()
        : Optional.of(new StepWorkers(
            time, faults, trips, setup.habits().longestTrip(), restarts, trace, found));
    for (int number = 0; number < setup.processes(); number++) {
      places.add(new Place(number));
    }
  }

  private WakeupTransport makeTransport() {
    Chance ways = Chance.of(seed, "transport trips");
    return setup.transport() == Setup.Transport.HINTS
        ? new Hints(time, faults, ways, trace)
        : new Broker(
            time,
            faults,
            ways,
            trace,
            new Broker.Delivered(
                new Acknowledgements(stored, found)::check, this::checkBuried, found));
  }

  /** Nothing may happen to a world without a net for which a wakeup is given up. */
  private void checkBuried(DeliveryMessage message) {
    if (setup.transport() == Setup.Transport.SHARED_ALONE) {
      found.accept(new Violation(Rule.DEAD_LETTERS, message.runId(), "its wakeup was given up"));
    }
  }

  /** Starts every process, and schedules what happens to processes by the list of faults. */
  public void start() {
    places.forEach(place -> time.after(0, Lifetime.WORLD, place::start));
    for (Fault fault : faults.of(Kind.KILL)) {
      Place place = places.get(fault.process());
      at(fault.from(), () -> {
        faults.happened(Kind.KILL);
        place.killUntil(fault.until());
      });
      at(fault.until(), place::start);
    }
    for (Fault fault : faults.of(Kind.PAUSE)) {
      at(fault.from(), () -> {
        faults.happened(Kind.PAUSE);
        places.get(fault.process()).pause(fault.until());
      });
    }
    for (Fault fault : faults.of(Kind.RESTART)) {
      Place place = places.get(fault.process());
      at(fault.from(), () -> {
        faults.happened(Kind.RESTART);
        place.stop();
      });
      at(fault.until(), place::start);
    }
    faults.of(Kind.LIMIT_CHANGED).forEach(this::rollOut);
    faults.of(Kind.PAYLOAD_UNREADABLE).forEach(this::rollOut);
    steps.ifPresent(workers -> workers.start(setup.processes(), setup.stepWorkers()));
  }

  /** One process after the other, there and back. */
  private void rollOut(Fault fault) {
    faults.happened(fault.kind());
    for (Place place : places) {
      if (fault.process() == Fault.ALL || fault.process() == place.number) {
        long turn = place.number * VirtualTime.micros(SOON);
        at(fault.from() + turn, place::stop);
        at(fault.until() + turn, place::stop);
      }
    }
  }

  /** Replaces every deployment that is not the usual one, once nothing goes wrong any more. */
  public void deployWhole() {
    places.stream()
        .filter(place -> !place.deployment.equals(Deployment.USUAL))
        .forEach(Place::stop);
  }

  private void at(long micros, Runnable action) {
    time.after(micros - time.now(), Lifetime.WORLD, action);
  }

  /** Processes that are up, in order. */
  List<SimulatedProcess> up() {
    List<SimulatedProcess> up = new ArrayList<>();
    for (Place place : places) {
      if (place.process != null && place.isUp) {
        up.add(place.process);
      }
    }
    return up;
  }

  /** What is stored. */
  public StoredRuns stored() {
    return stored;
  }

  /** What was pruned, as it was then. */
  public List<RunHistory> pruned() {
    return prunes.pruned();
  }

  /** What came to the transport. */
  public WakeupTransport transport() {
    return transport;
  }

  /** Which limit a queue had at an instant that may be off by so much. */
  public LimitAt limits(Duration slack) {
    return (queue, at, configured) ->
        queue.equals(Catalogue.SHARED) ? limits.at(at, slack) : configured;
  }

  /** The fires of the schedule that fell due while nothing was wrong. */
  public List<Instant> calmFires() {
    return calm.fires(time.now());
  }

  /** The keys that operators asked to free. */
  public List<KeyReset> resets() {
    return List.copyOf(resets);
  }

  void asksToReset(String task, String key) {
    resets.add(new KeyReset(task, key, time.instant()));
  }

  private boolean isReset(RunRecord run) {
    return resets.stream()
        .anyMatch(reset ->
            reset.task().equals(run.taskId()) && reset.key().equals(run.keys().idempotencyKey()));
  }

  /** How long a payload that cannot be read is waited for; zero: for longer than any world lasts. */
  public Duration undecodablePatience() {
    return setup.habits().undecodable();
  }

  /** What handlers did, one for each call. */
  public List<Effect> effects() {
    return handlers.effects();
  }

  /** Whether every process is up. */
  public boolean isWhole() {
    return up().size() == places.size();
  }

  /** Whether every run has ended and every message of the outbox was published or given up. */
  public boolean isAtRest() {
    return stored.active().isEmpty()
        && transport.unsettled().isEmpty()
        && stored.unsettled().isEmpty()
        && stored.pendingSteps() == 0
        && stepLeftovers().isEmpty();
  }

  /** What keeps the fleet from rest, in words. */
  public String unrest() {
    return "up " + up().size() + " of " + places.size() + ", messages " + stored.unsettled() + ", "
        + transport.unsettled() + ", pending steps " + stored.pendingSteps() + ", "
        + stepLeftovers();
  }

  private String stepLeftovers() {
    return steps.map(workers -> workers.leftovers(id -> stored.run(id) != null)).orElse("");
  }

  /** Closes every process for good, in order and at once; each is to leave nothing behind. */
  public void close() {
    closing = true;
    steps.ifPresent(StepWorkers::end);
    places.forEach(Place::stop);
  }

  /** Reports what closed processes left behind. */
  public void checkLeftovers() {
    places.forEach(Place::checkLeftover);
  }

  /**
   * By how much a takeover may come too early for its loser: by what the taker's clock is ahead of the loser's, as
   * long as that is tolerated. A process whose clock is further off takes nothing over.
   */
  private long tolerated(Lifetime taker) {
    long skew = VirtualTime.micros(setup.toleratedSkew());
    long ahead = faults.clockAhead(time.now(), taker.process());
    if (Math.abs(ahead) > 2 * skew) {
      return 0;
    }
    boolean clocksDiffer =
        !faults.of(Kind.CLOCK_OFF).isEmpty() || !faults.of(Kind.CLOCK_DRIFTS).isEmpty();
    return clocksDiffer ? 2 * skew : 0;
  }

  /** Where one process after the other runs. */
  private final class Place {
    private final int number;
    private int lives;
    private @Nullable SimulatedProcess process;
    private @Nullable Lifetime work; // of its handlers
    private boolean isUp;
    private Deployment deployment = Deployment.USUAL;
    private LimitHistory.@Nullable Version version;
    private long downUntil;

    Place(int number) {
      this.number = number;
    }

    void start() {
      if (process != null || closing || time.now() < downUntil) {
        return;
      }
      lives++;
      Lifetime life = new Lifetime(number, lives);
      Lifetime handlersLife = new Lifetime(number, lives);
      deployment = deployment();
      LimitHistory.Version begins = limits.starts(deployment.sharedLimit(), time.now());
      version = begins;
      trace.note(life, "starts" + (deployment.equals(Deployment.USUAL) ? "" : " as " + deployment));
      StorageLine line = new StorageLine(
          time,
          life,
          faults,
          trips,
          setup.habits().longestTrip(),
          trace,
          dead -> kill("is killed at a call"),
          (method, failure) -> mistake(method, failure));
      SimulatedProcess begun = new SimulatedProcess(
          life,
          setup,
          new SimulatedProcess.Connections(
              RemoteCalls.to(StorageAdapter.class, storage, line),
              transport,
              steps.map(workers -> workers.over(line))),
          new ProcessClock(time, now -> faults.clockAhead(now, number)),
          new ProcessTimers(time, life),
          Chance.of(seed, life.toString()).number(),
          new Handlers(
              handlersLife,
              new ProcessTimers(time, handlersLife),
              handlers,
              () -> kill("is killed by its handler")),
          deployment);
      process = begun;
      work = handlersLife;
      begun.start().onComplete(started -> {
        if (process != begun) {
          return;
        }
        if (started.succeeded()) {
          trace.note(life, "is up");
          isUp = true;
          begins.isUp(time.now());
          calm.note(isWhole(), time.now());
        } else {
          kill("did not start: " + started.cause().getMessage());
        }
      });
    }

    private Deployment deployment() {
      long now = time.now();
      return new Deployment(
          faults.limit(now, number, Catalogue.SHARED_LIMIT),
          faults.hits(Kind.TASK_MISSING, now, number),
          faults.isActive(Kind.PAYLOAD_UNREADABLE, now, number));
    }

    void killUntil(long until) {
      downUntil = until;
      kill("is killed");
    }

    void kill(String how) {
      SimulatedProcess killed = process;
      if (killed != null) {
        trace.note(killed.life(), how);
        gone(killed);
        time.after(restarts.micros(SOON, LATER), Lifetime.WORLD, this::start);
      }
    }

    private void gone(SimulatedProcess ended) {
      ended.life().end();
      if (work != null) {
        work.end();
      }
      if (version != null) {
        version.ends(time.now());
      }
      process = null;
      isUp = false;
      calm.note(false, time.now());
    }

    void pause(long until) {
      if (process != null && work != null) {
        trace.note(process.life(), "is stopped");
        process.life().pause(time.now(), until);
        work.pause(time.now(), until);
      }
    }

    void stop() {
      SimulatedProcess stopping = process;
      if (stopping == null || !isUp) {
        return;
      }
      isUp = false;
      calm.note(false, time.now());
      trace.note(stopping.life(), "is told to end");
      LimitHistory.Version ending = version;
      if (ending != null) {
        ending.goes(time.now());
      }
      long pausedBefore = stopping.life().pausedMicros();
      long pauseLeft = pauseLeft(stopping);
      Duration bound = SimulatedProcess.STOP_BOUND.plus(SimulatedProcess.CLOSE_BOUND);
      time.after(
          VirtualTime.micros(bound.multipliedBy(2)) + pauseLeft,
          Lifetime.WORLD,
          () -> giveUp(stopping, pausedBefore));
      stopping.stop().onComplete(stopped -> {
        trace.note(stopping.life(), "has ended");
        if (stopped.result().compareTo(SimulatedProcess.CLOSE_BOUND) > 0
            && pauseLeft == 0
            && stopping.life().pausedMicros() == pausedBefore) {
          found.accept(new Violation(
              Rule.CLOSE, stopping.life().toString(), "its close took " + stopped.result()));
        }
        if (work != null) {
          work.end();
        }
        if (!closing) {
          gone(stopping);
          time.after(restarts.micros(SOON, LATER), Lifetime.WORLD, this::start);
        }
      });
    }

    private long pauseLeft(SimulatedProcess stopping) {
      return Math.max(0, stopping.life().pausedUntil() - time.now());
    }

    private void giveUp(SimulatedProcess stopping, long pausedBefore) {
      if (process == stopping && !closing) {
        if (stopping.life().pausedMicros() == pausedBefore) {
          found.accept(new Violation(
              Rule.CLOSE, stopping.life().toString(), "it was still there after twice its bound"));
        }
        kill("is killed, since it did not end");
      }
    }

    void checkLeftover() {
      SimulatedProcess closed = process;
      if (closed != null && time.pending(closed.life()) > 0) {
        found.accept(new Violation(
            Rule.LEFTOVER,
            closed.life().toString(),
            time.pending(closed.life()) + " timers or calls are left after its close"));
      }
    }

    private void mistake(String method, Throwable failure) {
      found.accept(
          new Violation(Rule.MISTAKE, "p" + number, method + " failed: " + failure.getMessage()));
    }
  }
}
