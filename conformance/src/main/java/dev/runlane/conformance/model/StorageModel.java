package dev.runlane.conformance.model;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.CommandConsistency;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.transport.DeliveryMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a storage does with each command, in the words of {@code StorageAdapter}: one list of runs, and a loop for each
 * question. Answers carry names of the model's own in place of ids and tokens that a storage makes up. Where the
 * contract leaves a storage free, a method is given the storage's answer and follows it as far as it may.
 */
public final class StorageModel {
  public final ModelReads reads;
  public final ModelOutbox outbox;
  public final ModelSteps steps;
  public final ModelOccurrences occurrences;
  public final ModelQueues queues;
  public final ModelSchedules schedules;
  public final ModelProcesses processes;
  public final ModelPauses pauses;
  public final ModelDepths depths;
  public final ModelRecords records;
  public final ModelWebhooks webhooks = new ModelWebhooks();
  public final ModelAlerts alerts;
  public final ModelTasks tasks;
  public final ModelDocuments documents;

  private final List<ModelRun> runs = new ArrayList<>();
  private final List<RunRecord> past = new ArrayList<>();
  private final Map<String, Walk> walks = new HashMap<>(); // by cursor
  private final Names names;
  private Instant latest = Instant.MIN;
  private Predicate<RunRecord> heldByOthers = run -> false;
  private Predicate<RunRecord> lapsedForOthers = run -> false;

  public StorageModel(Names names) {
    this.names = names;
    this.reads = new ModelReads(this, names);
    this.outbox = new ModelOutbox(this, names);
    this.steps = new ModelSteps(this, names);
    this.queues = new ModelQueues();
    this.schedules = new ModelSchedules(this, names);
    this.occurrences = new ModelOccurrences(schedules, names);
    this.processes = new ModelProcesses(this, names);
    this.pauses = new ModelPauses(this);
    this.depths = new ModelDepths(this);
    this.records = new ModelRecords(this, names);
    this.alerts = new ModelAlerts(names);
    this.tasks = new ModelTasks(names);
    this.documents = new ModelDocuments(names);
  }

  /** The runs of an environment. */
  public Stream<ModelRun> runs(Environment environment) {
    return runs.stream().filter(run -> run.record.environment().equals(environment));
  }

  public Optional<ModelRun> find(Environment environment, String runId) {
    return runs(environment).filter(run -> run.record.id().equals(runId)).findFirst();
  }

  /**
   * While others may hold these runs, claims and reservations may pass over them, and over what hangs on them:
   * whether they did is the storage's answer. A batch claim that did says that there may be more, but for {@code
   * lapsed} ones: their reservation has ended by another's clock, and their slot may be another run's.
   */
  public void letPassOver(Predicate<RunRecord> held, Predicate<RunRecord> lapsed) {
    heldByOthers = held;
    lapsedForOthers = lapsed;
  }

  boolean isHeldByOthers(ModelRun run) {
    return heldByOthers.test(run.record);
  }

  boolean hasLapsedForOthers(ModelRun run) {
    return lapsedForOthers.test(run.record);
  }

  /** A command says that it is this late by its caller's clock. */
  public void tell(Instant now) {
    latest = latest(now);
  }

  /** This instant, or the latest that any command has said it is. */
  Instant latest(Instant now) {
    return now.isAfter(latest) ? now : latest;
  }

  /** Every state that any run was ever in, for commands by callers who read it a while ago. */
  public List<RunRecord> past() {
    return past;
  }

  public AppendedRun append(AppendRunEvents command) {
    CommandChecks.check(command);
    Optional<ModelRun> run = find(command.environment(), command.runId());
    if (command.heldLease() != null) {
      requireHeld(run, command.heldLease());
    }
    requireSequence(run, command.expectedSequence());
    refuse(CommandConsistency.violation(command));
    if (run.isPresent()) {
      return store(run.get(), command);
    }
    requireKeysFree(command.projectedRun(), command.now());
    requireSlotOfFirstLease(command);
    return store(create(command.projectedRun()), command);
  }

  public List<CommandOutcome<AppendedRun>> appendAll(AppendAll command) {
    command.commands().forEach(CommandChecks::check);
    List<CommandOutcome<AppendedRun>> outcomes = new ArrayList<>();
    for (AppendRunEvents each : command.commands()) {
      try {
        outcomes.add(new CommandOutcome.Succeeded<>(append(each)));
      } catch (RunlaneException failure) {
        outcomes.add(new CommandOutcome.Failed<>(failure));
      }
    }
    return outcomes;
  }

  private boolean isPassedOver(ModelRun run, boolean answeredEmpty) {
    return answeredEmpty && isHeldByOthers(run);
  }

  /** {@code answeredEmpty}: whether the storage says that the race was lost. */
  public Optional<AppendedRun> reserve(ReserveRunDispatch command, boolean answeredEmpty) {
    CommandChecks.check(command);
    ModelRun run = find(command.environment(), command.runId()).orElse(null);
    if (run == null || run.record.eventSequence() != command.expectedSequence()) {
      return Optional.empty();
    }
    refuse(CommandConsistency.violation(command));
    boolean reservable = RunDueTimes.isRunnableAt(run.record, command.now())
        && !run.record.hasLiveReservationAt(command.now())
        && !isPassedOver(run, answeredEmpty)
        && hasSlotFor(run.record, command.queuePolicy(), command.now());
    return reservable
        ? Optional.of(store(run, command.projectedRun(), List.of(command.event())))
        : Optional.empty();
  }

  /** {@code answeredEmpty}: whether the storage says that the race was lost. */
  public Optional<AppendedRun> claim(ClaimRunLease command, boolean answeredEmpty) {
    CommandChecks.check(command);
    ModelRun run = find(command.environment(), command.runId()).orElse(null);
    if (run == null || run.record.eventSequence() != command.expectedSequence()) {
      return Optional.empty();
    }
    refuse(CommandConsistency.violation(command));
    boolean claimable = RunDueTimes.isRunnableAt(run.record, command.now())
        && !isPassedOver(run, answeredEmpty)
        && !(command.queuePolicy().isBounded() && run.lostItsReservationAt(command.now()))
        && hasSlotFor(run.record, command.queuePolicy(), command.now());
    return claimable
        ? Optional.of(store(run, command.projectedRun(), command.events()))
        : Optional.empty();
  }

  /**
   * Where very many are wanted, the order is the storage's: it is that of the answer. After as many as were wanted it
   * need not look whether there are more.
   */
  public ClaimedRuns claimRuns(ClaimRuns command, @Nullable ClaimedRuns answer) {
    CommandChecks.check(command);
    List<ModelRun> due = reads.claimable(command, answer);
    boolean passedOver = answer != null && reads.passesOver(command, answer);
    boolean maySayMore = answer != null
        && answer.mayHaveMore()
        && (answer.runs().size() == command.limit() || reads.heldByOthers(command) > 0);
    List<ClaimedRuns.Claimed> claimed = new ArrayList<>();
    for (ModelRun run : due.subList(0, Math.min(wanted(command, answer), due.size()))) {
      claimed.add(start(run, command));
    }
    return new ClaimedRuns(claimed, maySayMore || passedOver || due.size() > claimed.size());
  }

  /** As many as the limit says, less those that are passed over, if it says then that there may be more. */
  private int wanted(ClaimRuns command, @Nullable ClaimedRuns answer) {
    if (answer == null || !answer.mayHaveMore()) {
      return command.limit();
    }
    int least = command.limit() - reads.heldByOthers(command);
    return Math.max(least, Math.min(command.limit(), answer.runs().size()));
  }

  private ClaimedRuns.Claimed start(ModelRun run, ClaimRuns command) {
    RunRecord before = run.record;
    Instant at = command.now().isBefore(before.updatedAt()) ? before.updatedAt() : command.now();
    EventHeader header = EventHeader.bySystem(before.environment(), before.id(), at);
    Lease lease =
        new Lease(command.leaseToken(), command.workerId(), command.now().plus(command.leaseFor()));
    List<RunEvent> events = List.of(
        new RunEvent.LeaseClaimed(header, lease),
        new RunEvent.Started(header, before.counters().attempts() + 1));
    RunRecord after = RunReducer.projectRunEvents(before, before.eventSequence(), events);
    return new ClaimedRuns.Claimed(before, after, store(run, after, events).events());
  }

  public AppendedRun heartbeat(HeartbeatRunLease command) {
    CommandChecks.check(command);
    Optional<ModelRun> run = find(command.environment(), command.runId());
    requireHeld(run, command.event().lease());
    requireSequence(run, command.expectedSequence());
    refuse(CommandConsistency.violation(command));
    return store(run.orElseThrow(), command.projectedRun(), List.of(command.event()));
  }

  /** The reducer clears the lease with the event that ends an attempt, so nothing is left to clear. */
  public @Nullable Void release(ReleaseRunLease command) {
    CommandChecks.check(command);
    return null;
  }

  public @Nullable Void reset(ResetIdempotencyKey command) {
    CommandChecks.check(command);
    ownersOf(command.environment(), command.taskId(), command.idempotencyKey()).forEach(run -> {
      if (run.record.status().isActive()) {
        throw ownedBy(run, StorageConflictKind.IDEMPOTENCY_KEY);
      }
      run.ownsIdempotencyKey = false;
    });
    return null;
  }

  /** The runs that a prune may remove. */
  public List<ModelRun> prunable(PruneRuns command) {
    return runs(command.environment())
        .filter(run -> run.record.status().isTerminal()
            && (command.statuses().isEmpty() || command.statuses().contains(run.record.status()))
            && run.record.updatedAt().isBefore(command.olderThan())
            && !run.ownsIdempotencyKeyAt(command.now()))
        .toList();
  }

  /**
   * Which of them a call removes, and whether it says that more may be left, is the storage's. When it says that
   * nothing is left, all are gone that could go ever since the first call.
   */
  public PruneAndLook.Answer prune(PruneAndLook command, PruneAndLook.@Nullable Answer answer) {
    PruneRuns prune = command.prune();
    CommandChecks.check(prune);
    List<ModelRun> may = prunable(prune);
    List<ModelRun> since = prune.cursor() == null ? may : walkOf(prune);
    List<String> left = answer == null ? List.of() : answer.left();
    int limit = prune.limit() == null ? ContractDefaults.PRUNE_LIMIT : prune.limit();
    List<ModelRun> gone =
        may.stream().filter(run -> !left.contains(run.record.id())).limit(limit).toList();
    runs.removeAll(gone);
    boolean mustGoOn = since.stream().anyMatch(run -> runs.contains(run) && may.contains(run));
    boolean goesOn = answer != null && answer.pruned().nextCursor() != null;
    String cursor = mustGoOn || goesOn ? names.make("cursor") : null;
    if (cursor != null) {
      walks.put(cursor, new Walk(scopeOf(prune), since));
    }
    List<String> kept = command.runIds().stream()
        .filter(id -> find(prune.environment(), id).isPresent())
        .toList();
    return new PruneAndLook.Answer(new PrunedRuns(gone.size(), cursor), kept);
  }

  public Optional<RunRecord> ownerOf(GetRunByIdempotencyKey query) {
    CommandChecks.check(query);
    return ownersOf(query.environment(), query.taskId(), query.idempotencyKey())
        .filter(run -> run.ownsIdempotencyKeyAt(query.now()))
        .map(run -> run.record)
        .findFirst();
  }

  /**
   * Whether a command says what the reducer says, if it should win, gives each fire of a schedule its own id, and makes
   * no run with the id of one that is gone and of whose end somebody is still to be told: that is the caller's duty,
   * which storages need not check.
   */
  public boolean isHonest(Object command) {
    if (command instanceof AppendAll all) {
      return areHonest(all.commands());
    }
    if (command instanceof AppendRunEvents append) {
      return areHonest(List.of(append));
    }
    if (command instanceof ClaimScheduleOccurrence claim) {
      return occurrences.isOneFire(claim);
    }
    if (command instanceof ClaimRunLease claim) {
      return !isWellFormed(() -> CommandChecks.check(claim))
          || CommandConsistency.violation(claim).isPresent()
          || isHonest(claim.projectedRun(), claim.expectedSequence(), claim.events());
    }
    if (command instanceof ReserveRunDispatch reserve) {
      return !isWellFormed(() -> CommandChecks.check(reserve))
          || CommandConsistency.violation(reserve).isPresent()
          || isHonest(reserve.projectedRun(), reserve.expectedSequence(), List.of(reserve.event()));
    }
    if (command instanceof HeartbeatRunLease beat) {
      return !isWellFormed(() -> CommandChecks.check(beat))
          || CommandConsistency.violation(beat).isPresent()
          || isHonest(beat.projectedRun(), beat.expectedSequence(), List.of(beat.event()));
    }
    return true;
  }

  /** Each may be refused, so that those behind it find the run as it was before. */
  private boolean areHonest(List<AppendRunEvents> commands) {
    Map<String, List<Optional<RunRecord>>> possible = new HashMap<>();
    for (AppendRunEvents each : commands) {
      if (!isWellFormed(() -> CommandChecks.check(each))) {
        return true; // none of them is looked at
      }
      if (CommandConsistency.violation(each).isPresent()) {
        continue;
      }
      List<Optional<RunRecord>> states = possible.computeIfAbsent(
          each.environment().name() + ":" + each.runId(),
          key -> new ArrayList<>(
              List.of(find(each.environment(), each.runId()).map(run -> run.record))));
      boolean isAnother = states.contains(Optional.<RunRecord>empty())
          && webhooks.isUntold(each.environment(), each.runId());
      boolean areAllHonest = states.stream()
          .allMatch(state -> isHonest(
              state.orElse(null), each.projectedRun(), each.expectedSequence(), each.events()));
      if (isAnother || !areAllHonest) {
        return false;
      }
      if (states.stream()
          .anyMatch(
              state -> state.map(RunRecord::eventSequence).orElse(0L) == each.expectedSequence())) {
        states.add(Optional.of(each.projectedRun()));
      }
    }
    return true;
  }

  private boolean isHonest(
      RunRecord projected, long expectedSequence, List<? extends RunEvent> events) {
    RunRecord now =
        find(projected.environment(), projected.id()).map(run -> run.record).orElse(null);
    return isHonest(now, projected, expectedSequence, events);
  }

  private static boolean isHonest(
      @Nullable RunRecord now,
      RunRecord projected,
      long expectedSequence,
      List<? extends RunEvent> events) {
    if ((now == null ? 0 : now.eventSequence()) != expectedSequence) {
      return true; // stale, and refused
    }
    try {
      return RunReducer.projectRunEvents(now, expectedSequence, events).equals(projected);
    } catch (RunlaneException impossible) {
      return false;
    }
  }

  private static boolean isWellFormed(Runnable check) {
    try {
      check.run();
      return true;
    } catch (RunlaneException malformed) {
      return false;
    }
  }

  private ModelRun create(RunRecord projected) {
    RunKeys keys = projected.keys();
    if (keys.idempotencyKey()
        != null) { // an owner whose time is over owns it no more, whatever anybody's clock says
      ownersOf(projected.environment(), projected.taskId(), keys.idempotencyKey())
          .forEach(owner -> owner.ownsIdempotencyKey = false);
    }
    ModelRun run = new ModelRun(projected);
    runs.add(run);
    return run;
  }

  private AppendedRun store(ModelRun run, AppendRunEvents command) {
    AppendedRun stored = store(run, command.projectedRun(), command.events());
    if (command.claimOutboxFor() == null) {
      return stored;
    }
    int before = run.messages.size() - (int) requests(command.events()).count();
    Instant end = command.now().plus(command.claimOutboxFor());
    List<ClaimedOutboxMessage> claimed = run.messages.stream()
        .skip(before)
        .filter(message -> message.isDueAt(command.now()))
        .map(message -> message.claim(names.make("token"), end))
        .toList();
    return new AppendedRun(stored.run(), stored.events(), claimed);
  }

  /** Events, projection, keys, one outbox message for each delivery request, and pending steps. */
  private AppendedRun store(ModelRun run, RunRecord projected, List<? extends RunEvent> events) {
    boolean ends = run.record.status().isActive() || run.history.isEmpty();
    List<RunEventRecord> rows = new ArrayList<>();
    for (RunEvent event : events) {
      rows.add(new RunEventRecord(names.make("event"), run.history.size() + 1L, event));
      run.history.add(rows.get(rows.size() - 1));
    }
    run.become(projected);
    past.add(projected);
    requests(events).forEach(request -> run.messages.add(message(request, projected)));
    steps.follow(run, events);
    if (ends && projected.status().isTerminal()) {
      webhooks.ended(projected, run.tags());
    }
    return new AppendedRun(projected, rows, List.of());
  }

  private static Stream<RunEvent.DeliveryRequested> requests(List<? extends RunEvent> events) {
    return events.stream()
        .filter(RunEvent.DeliveryRequested.class::isInstance)
        .map(RunEvent.DeliveryRequested.class::cast);
  }

  /** It carries the trace of its delivery request, or else of its event, or else of the run. */
  private ModelMessage message(RunEvent.DeliveryRequested event, RunRecord run) {
    DeliveryIntent wish = event.delivery();
    Map<String, String> trace = Stream.of(
            Optional.ofNullable(wish.traceCarrier()),
            Optional.ofNullable(event.header().traceCarrier()),
            Optional.ofNullable(run.traceCarrier()))
        .flatMap(Optional::stream)
        .findFirst()
        .orElse(null);
    return new ModelMessage(
        names.make("message"),
        new DeliveryMessage(run.environment(), run.id(), run.queue(), wish.requestedAt(), trace),
        run.keys().concurrencyKey(),
        wish.availableAt());
  }

  private void requireKeysFree(RunRecord fresh, Instant now) {
    RunKeys keys = fresh.keys();
    for (ModelRun run : runs(fresh.environment()).toList()) {
      if (run.record.taskId().equals(fresh.taskId())
          && keys.idempotencyKey() != null
          && keys.idempotencyKey().equals(run.record.keys().idempotencyKey())
          && run.ownsIdempotencyKeyAt(now)) {
        throw ownedBy(run, StorageConflictKind.IDEMPOTENCY_KEY);
      }
    }
    for (ModelRun run : runs(fresh.environment()).toList()) {
      if (run.record.taskId().equals(fresh.taskId())
          && keys.singletonKey() != null
          && keys.singletonKey().equals(run.record.keys().singletonKey())
          && run.ownsSingletonKey) {
        throw ownedBy(run, StorageConflictKind.SINGLETON_KEY);
      }
    }
  }

  private Stream<ModelRun> ownersOf(Environment environment, String taskId, String key) {
    return runs(environment)
        .filter(run -> run.record.taskId().equals(taskId)
            && key.equals(run.record.keys().idempotencyKey())
            && run.ownsIdempotencyKey);
  }

  /** A creation that takes a lease occupies a slot at once. */
  private void requireSlotOfFirstLease(AppendRunEvents command) {
    RunRecord fresh = command.projectedRun();
    QueuePolicy policy = command.queuePolicy();
    if (policy != null
        && fresh.status().isLeased()
        && freeSlots(fresh, policy, command.now()) < 1) {
      throw conflict(StorageConflictKind.QUEUE_CAPACITY);
    }
  }

  /** A run that holds its slot already needs no second one. */
  private boolean hasSlotFor(RunRecord run, QueuePolicy policy, Instant now) {
    return run.occupiesSlotAt(now) || freeSlots(run, policy, now) > 0;
  }

  /** How many more runs the partition of this one takes. */
  public int freeSlots(RunRecord run, QueuePolicy policy, Instant now) {
    if (policy.concurrencyLimit() == null) {
      return Integer.MAX_VALUE;
    }
    long occupied = runs(run.environment())
        .map(other -> other.record)
        .filter(other -> isOfSamePartition(other, run) && other.occupiesSlotAt(now))
        .count();
    return policy.concurrencyLimit() - (int) occupied;
  }

  public static boolean isOfSamePartition(RunRecord one, RunRecord other) {
    return one.queue().equals(other.queue())
        && Objects.equals(one.keys().concurrencyKey(), other.keys().concurrencyKey());
  }

  private List<ModelRun> walkOf(PruneRuns command) {
    Walk walk = walks.get(command.cursor());
    if (walk == null || !walk.scope().equals(scopeOf(command))) {
      throw RunlaneException.validationFailed("the cursor belongs to no prune like this");
    }
    return walk.since();
  }

  private static List<Object> scopeOf(PruneRuns command) {
    return List.of(command.environment(), command.statuses(), command.olderThan());
  }

  /** A lease that has expired is in force until another one is. */
  private static void requireHeld(Optional<ModelRun> run, Lease lease) {
    if (!isHeld(run.map(found -> found.record).orElse(null), lease)) {
      throw conflict(StorageConflictKind.LEASE_OWNERSHIP);
    }
  }

  private static boolean isHeld(@Nullable RunRecord run, Lease lease) {
    Lease held = run == null ? null : run.lease();
    return held != null
        && held.token().equals(lease.token())
        && held.workerId().equals(lease.workerId());
  }

  private static void requireSequence(Optional<ModelRun> run, long expected) {
    long actual = run.map(found -> found.record.eventSequence()).orElse(0L);
    if (actual != expected) {
      throw conflict(StorageConflictKind.EVENT_SEQUENCE);
    }
  }

  private static void refuse(Optional<RunlaneException> violation) {
    violation.ifPresent(failure -> {
      throw failure;
    });
  }

  private static RunlaneException ownedBy(ModelRun owner, StorageConflictKind kind) {
    return conflict(kind).withMeta(RunlaneException.OWNER_RUN_ID, owner.record.id());
  }

  private static RunlaneException conflict(StorageConflictKind kind) {
    return RunlaneException.conflict(kind, "says the model");
  }

  /** The calls of one prune: what could go at the first of them. */
  private record Walk(List<Object> scope, List<ModelRun> since) {}
}
