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
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.Broker;
import dev.runlane.simulation.network.Hints;
import dev.runlane.simulation.network.OutboxWatch;
import dev.runlane.simulation.network.RemoteCalls;
import dev.runlane.simulation.network.StandbyStorage;
import dev.runlane.simulation.network.StorageLine;
import dev.runlane.simulation.network.WakeupTransport;
import dev.runlane.simulation.operator.EndWatch;
import dev.runlane.simulation.operator.OperatorWatch;
import dev.runlane.simulation.operator.StoredOperations;
import dev.runlane.simulation.watch.Acknowledgements;
import dev.runlane.simulation.watch.LimitHistory;
import dev.runlane.simulation.watch.PruneWatch;
import dev.runlane.simulation.watch.ScanWatch;
import dev.runlane.simulation.watch.StoredRuns;
import dev.runlane.simulation.watch.UpTimes;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * All processes of one world, on one storage and one transport, and the faults that hit processes.
 */
public final class Fleet {
  /** The scope of all runs. */
  public static final Environment ENVIRONMENT = new Environment(RunlaneOptions.DEFAULT_ENVIRONMENT);

  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration AROUND = Duration.ofMinutes(2); // a pause

  /** A pass that begins no later looks for a fire before the next one, which would be the latest then. */
  private static final Duration LOOKS =
      Catalogue.INTERVAL.minus(StorageLine.DEADLINE).minus(StorageLine.DEADLINE);

  private final Setup setup;
  private final Duration clocksDiffer;
  private final Faults faults;
  private final VirtualTime time;
  private final StoredRuns stored;
  private final PruneWatch prunes;
  private final StoredOperations operations;
  private final OperatorWatch watch;
  private final Calm calm;
  private final List<KeyReset> resets = new ArrayList<>();
  private final Acknowledgements acknowledgements;
  private final Optional<Failovers> failovers;
  private final Site site;
  private final List<Place> places = new ArrayList<>();

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
    this.setup = setup;
    this.clocksDiffer = clocksDiffer;
    this.faults = faults;
    this.time = time;
    Optional<StandbyStorage> standby = faults.of(Kind.STORAGE_FAILOVER).isEmpty()
        ? Optional.empty()
        : Optional.of(new StandbyStorage(time, seed));
    StorageAdapter memory = standby
        .map(StandbyStorage::storage)
        .orElseGet(() ->
            new MemoryStorage(new Ids(time::instant, Randomness.seeded(seed)), time::instant));
    stored = new StoredRuns(ENVIRONMENT, memory);
    operations = new StoredOperations(ENVIRONMENT, memory);
    watch = new OperatorWatch(operations, time::instant, found);
    prunes = new PruneWatch(
        stored, time::instant, setup.leastKept(), clocksDiffer, this::isReset, watch, found);
    calm = new Calm(faults.all());
    acknowledgements = new Acknowledgements(stored, time::instant, found);
    OutboxWatch outbox = new OutboxWatch(new ScanWatch(stored, prunes, found), found);
    failovers = standby.map(storage -> new Failovers(faults, time, trace, storage, stored, outbox));
    Chance trips = Chance.of(seed, "trips");
    Chance restarts = Chance.of(seed, "restarts");
    HandlerLog handlers = new HandlerLog(time, trace, stored, this::tolerated, found);
    site = new Site(
        seed,
        setup,
        faults,
        time,
        trace,
        RemoteCalls.to(StorageAdapter.class, memory, outbox),
        stored,
        failovers,
        makeTransport(seed, trace, found),
        makeStepWorkers(trips, restarts, trace, found),
        handlers,
        new StopRules(time, faults, handlers, stored, setup.habits().longestTrip(), found),
        new EndWatch(time, faults, Chance.of(seed, "webhook trips"), trace, stored::run, found),
        new UpTimes(),
        new LimitHistory(faults.all(), setup.habits().poisoned() == 0),
        trips,
        restarts,
        found);
    for (int number = 0; number < setup.processes(); number++) {
      places.add(new Place(number, site, () -> calm.note(isWhole(), time.now())));
    }
  }

  private Optional<StepWorkers> makeStepWorkers(
      Chance trips, Chance restarts, Trace trace, Consumer<Violation> found) {
    return setup.stepWorkers() == 0
        ? Optional.empty()
        : Optional.of(new StepWorkers(
            time, faults, trips, setup.habits().longestTrip(), restarts, trace, found));
  }

  private WakeupTransport makeTransport(long seed, Trace trace, Consumer<Violation> found) {
    Chance ways = Chance.of(seed, "transport trips");
    return setup.transport() == Setup.Transport.HINTS
        ? new Hints(time, faults, ways, trace)
        : new Broker(
            time,
            faults,
            ways,
            trace,
            new Broker.Delivered(
                acknowledgements::check, message -> checkBuried(message, found), found));
  }

  /** Nothing may happen to a world without a net for which a wakeup is given up. */
  private void checkBuried(DeliveryMessage message, Consumer<Violation> found) {
    if (setup.transport() == Setup.Transport.SHARED_ALONE) {
      found.accept(new Violation(Rule.DEAD_LETTERS, message.runId(), "its wakeup was given up"));
    }
  }

  /** Starts every process, and schedules what happens to processes by the list of faults. */
  public void start() {
    failovers.ifPresent(Failovers::start);
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
        places.get(fault.process()).pauseWith((int) fault.micros(), fault.until());
      });
    }
    for (Fault fault : faults.of(Kind.RESTART)) {
      Place place = places.get(fault.process());
      at(fault.from(), () -> {
        faults.happened(Kind.RESTART);
        place.stopWith((int) fault.micros());
      });
      at(fault.until(), place::start);
    }
    faults.of(Kind.LIMIT_CHANGED).forEach(this::rollOut);
    faults.of(Kind.PAYLOAD_UNREADABLE).forEach(this::rollOut);
    faults.of(Kind.SCHEDULE_EDITED).forEach(this::rollOut);
    site.steps().ifPresent(workers -> workers.start(setup.processes(), setup.stepWorkers()));
  }

  /** One process after the other, there and back. */
  private void rollOut(Fault fault) {
    faults.happened(fault.kind());
    for (Place place : places) {
      if (fault.process() == Fault.ALL || fault.process() == place.number()) {
        long turn = place.number() * VirtualTime.micros(SOON);
        at(fault.from() + turn, place::stop);
        at(fault.until() + turn, place::stop);
      }
    }
  }

  /** Replaces every deployment that is not the usual one, once nothing goes wrong any more. */
  public void deployWhole() {
    places.stream().filter(place -> !place.isUsual()).forEach(Place::stop);
  }

  private void at(long micros, Runnable action) {
    time.after(micros - time.now(), Lifetime.WORLD, action);
  }

  /** Processes that are up, in order. */
  List<SimulatedProcess> up() {
    List<SimulatedProcess> up = new ArrayList<>();
    places.forEach(place -> place.up().ifPresent(up::add));
    return up;
  }

  /** Lets somebody call one of the processes that are up then, if there is one. */
  void call(long micros, long choice, Consumer<SimulatedProcess> call) {
    time.after(micros, Lifetime.WORLD, () -> {
      List<SimulatedProcess> up = up();
      if (!up.isEmpty()) {
        SimulatedProcess one = up.get((int) Math.floorMod(choice, (long) up.size()));
        time.after(0, one.life(), () -> call.accept(one));
      }
    });
  }

  /** How many processes must say that they live: those that have been up for so long. */
  public long upFor(Duration least) {
    return places.stream()
        .filter(place ->
            place.up().isPresent() && place.upSince() <= time.now() - VirtualTime.micros(least))
        .count();
  }

  /** How many processes may still seem to live. */
  public long seenWithin(Duration most) {
    return places.size()
        + places.stream()
            .filter(place -> place.endedAt() >= time.now() - VirtualTime.micros(most))
            .count();
  }

  /** The true time. */
  public Instant now() {
    return time.instant();
  }

  /** Whether processes count what they do, and have the time to store it when they are closed. */
  public boolean countsAll() {
    return setup.operating().counts() && isSwift();
  }

  /** What is stored for operators. */
  public StoredOperations operations() {
    return operations;
  }

  /** What operators did, as it was stored. */
  public OperatorWatch watch() {
    return watch;
  }

  /** Who was told of the ends of runs. */
  public EndWatch ends() {
    return site.ends();
  }

  /** Whether a promise seems to be broken only since a storage that took over has lost what was stored last. */
  public boolean excuses(Violation violation) {
    return failovers.filter(lost -> lost.excuse(violation)).isPresent();
  }

  /** Whether every process was up and no fault active from a while before until a while after an instant. */
  public boolean isCalm(Instant at) {
    return isCalmBut(Set.of(), at);
  }

  /** The same, but for faults of these kinds. */
  public boolean isCalmBut(Set<Kind> harmless, Instant at) {
    return calm.isCalm(at, time.now(), harmless);
  }

  /** What is stored. */
  public StoredRuns stored() {
    return stored;
  }

  /** What was pruned, as it was then, but for what was made again since. */
  public List<RunHistory> pruned() {
    return prunes.pruned().stream()
        .filter(history ->
            !prunes.mayBeMadeAgain(history.runId()) || stored.run(history.runId()) == null)
        .toList();
  }

  /** Whether a run may be made once more, since it was pruned before its fire was done. */
  public boolean mayBeMadeAgain(String run) {
    return prunes.mayBeMadeAgain(run);
  }

  /** What came to the transport. */
  public WakeupTransport transport() {
    return site.transport();
  }

  /** Which limit a queue had at an instant that may be off by so much. */
  public LimitAt limits(Duration slack) {
    return (queue, at, configured) ->
        queue.equals(Catalogue.SHARED) ? site.limits().at(at, slack) : configured;
  }

  /** The fires of the schedule that fell due while nothing was wrong and nobody had paused it. */
  public List<Instant> calmFires() {
    return calm.fires(time.now()).stream()
        .filter(fire -> watch.schedulePauses().stream()
            .noneMatch(pause -> pause.from().minus(AROUND).isBefore(fire)
                && (pause.until().equals(Instant.MAX)
                    || fire.isBefore(pause.until().plus(AROUND)))))
        .filter(this::isLookedFor)
        .toList();
  }

  /** Where processes have no roles nobody looks between two passes, and of what it misses the latest makes a run. */
  private boolean isLookedFor(Instant fire) {
    return hasRoles() || site.upTimes().isPassedBetween(fire, fire.plus(LOOKS));
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

  /** Whether a process goes on, was never stopped for a while, and keeps outcomes for as long as usual. */
  public boolean keepsOutcomes(Lifetime life) {
    return !life.isOver()
        && life.pausedMicros() == 0
        && setup.habits().outcome().isZero();
  }

  /** Whether no fault was active from one microsecond until another. */
  public boolean isWithoutFault(long from, long until) {
    return faults.all().stream().noneMatch(fault -> fault.from() <= until && from <= fault.until());
  }

  /** Whether no fault but the end of processes was active from one instant until another. */
  public boolean isUndisturbed(Instant from, Instant until) {
    long first = VirtualTime.micros(Duration.between(VirtualTime.START, from));
    long last = VirtualTime.micros(Duration.between(VirtualTime.START, until));
    return faults.all().stream()
        .filter(fault -> fault.kind() != Kind.KILL && !StopRules.HARMLESS.contains(fault.kind()))
        .noneMatch(fault -> fault.from() <= last && first <= fault.until());
  }

  /** Whether processes have roles, and not passes of {@code tick} in their place. */
  public boolean hasRoles() {
    return !setup.isTicking() && !setup.isPassing();
  }

  /** Whether there is one process at a time. */
  public boolean isLone() {
    return setup.processes() == 1;
  }

  /** Whether there is one process at a time, that looks for work by itself. */
  public boolean isPolledAlone() {
    return isLone() && hasRoles() && setup.transport() != Setup.Transport.SHARED_ALONE;
  }

  /** Handlers at a time in each process. */
  public int concurrency() {
    return setup.concurrency();
  }

  /** Whether runs of a queue wait for nothing but a worker. */
  public boolean isUnbounded(String queue) {
    return queue.equals(Catalogue.OPEN);
  }

  /** Whether there are schedules of every kind. */
  public boolean isClocked() {
    return setup.isClocked();
  }

  /** Since when the storage knows of schedules. */
  public Optional<Instant> schedulesSince() {
    return watch.schedulesSince();
  }

  /** When processes were there. */
  public UpTimes upTimes() {
    return site.upTimes();
  }

  /** Which edition of the schedules the process had, where there is one at a time. */
  public List<UpTimes.Span> editions() {
    return site.upTimes().editions(time.now());
  }

  /** When each remote step was answered last. */
  public Map<String, Instant> stepAnswers() {
    return site.steps().map(StepWorkers::answers).orElse(Map.of());
  }

  /** How often a message may fail to be published. */
  public int mostPublishes() {
    return setup.habits().publisher(setup.transport()).getMaxAttempts();
  }

  /** Whether processes stay, until something ends them. */
  public boolean stays() {
    return !setup.isTicking();
  }

  /** The pause between sweeps of a role, or between passes. */
  public Duration sweep() {
    return setup.sweep();
  }

  /** Whether nothing is slow by the habits of this fleet. */
  public boolean isSwift() {
    return setup.habits().longestTrip().equals(StorageLine.LONGEST_TRIP);
  }

  /** What a few calls of the storage take at most on their way, where all is well. */
  public Duration calmWait() {
    return setup.habits().longestTrip().multipliedBy(8);
  }

  /** Attempts of deliveries that workers said to have given up. */
  public List<Acknowledgements.Abandoned> abandoned() {
    return acknowledgements.abandoned();
  }

  /** How long leases are. */
  public Duration lease() {
    return setup.lease();
  }

  /** How long a payload that cannot be read is waited for; zero: for longer than any world lasts. */
  public Duration undecodablePatience() {
    return setup.habits().undecodable();
  }

  /** What handlers saw and did, in order. */
  public List<HandlerCall> calls() {
    return site.handlers().calls();
  }

  /** Whether every process is up. */
  public boolean isWhole() {
    return up().size() == places.size();
  }

  /** Whether every run has ended and every message of the outbox was published or given up. */
  public boolean isAtRest() {
    return stored.active().isEmpty()
        && transport().unsettled().isEmpty()
        && stored.unsettled().isEmpty()
        && stored.pendingSteps() == 0
        && stepLeftovers().isEmpty()
        && untold().isEmpty()
        && watch.pausedQueues().isEmpty()
        && !watch.isAnySchedulePaused();
  }

  /** What keeps the fleet from rest, in words. */
  public String unrest() {
    return "up " + up().size() + " of " + places.size() + ", messages " + stored.unsettled() + ", "
        + transport().unsettled() + ", pending steps " + stored.pendingSteps() + ", "
        + stepLeftovers() + ", ends to tell " + untold() + ", paused " + watch.pausedQueues();
  }

  /** Ends that surely occurred after the webhooks were registered, and of which one was not told. */
  private List<String> untold() {
    if (watch.webhooksSince().isEmpty()) {
      return List.of();
    }
    Instant since = watch.webhooksSince().get().plus(clocksDiffer);
    List<RunRecord> ended = new ArrayList<>(stored.ended());
    prunes.pruned().forEach(history -> ended.add(history.stored()));
    return ended.stream()
        .filter(run -> run.updatedAt().isAfter(since))
        .flatMap(run -> Tagging.webhooksOf(run).stream()
            .filter(webhook -> !site.ends().isTold(webhook, run.id()))
            .map(webhook -> webhook + " of " + run.id()))
        .toList();
  }

  private String stepLeftovers() {
    return site.steps()
        .map(workers -> workers.leftovers(id -> stored.run(id) != null))
        .orElse("");
  }

  /** Closes every process for good, in order and at once; each is to leave nothing behind. */
  public void close() {
    site.steps().ifPresent(StepWorkers::end);
    places.forEach(Place::close);
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
}
