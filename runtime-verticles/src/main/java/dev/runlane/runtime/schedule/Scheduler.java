package dev.runlane.runtime.schedule;

import dev.runlane.run.ContractDefaults;
import dev.runlane.runtime.process.Failures;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.RegisteredSchedule;
import dev.runlane.runtime.registry.ScheduleKey;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the fires of the enabled schedules, each of which makes a run: which are due, and when to look again
 * at one that is not settled. What happens to a fire is {@link Fires}'; since when a schedule counts says {@link
 * ScheduleRegistrar}.
 */
public final class Scheduler implements SweepRole {
  private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);

  private final RuntimeContext context;
  private final SchedulerOptions options;
  private final List<RegisteredSchedule> schedules;
  private final ScheduleRegistrar known;
  private final SchedulePauses pauses;
  private final Fires fires;
  private final Map<ScheduleKey, PendingFires> firesBySchedule =
      new LinkedHashMap<>(); // filled by the first sweep that knows since when
  private Instant lastSweep = Instant.MIN;

  /** Throws {@code CapabilityUnsupported} when there are schedules and the storage claims no occurrences. */
  public Scheduler(RuntimeContext context, SchedulerOptions options) {
    this.context = context;
    this.options = options;
    schedules = context.registry().schedules().stream()
        .filter(registered -> registered.schedule().isEnabled())
        .toList();
    known = new ScheduleRegistrar(context, options);
    pauses = new SchedulePauses(context);
    fires = new Fires(context, options);
    if (!schedules.isEmpty()) {
      Capabilities.require(
          context.storage().capabilities(),
          StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES,
          "a scheduler");
    }
  }

  /** Processes due fires; true when there were more than one sweep takes. */
  @Override
  public Future<Boolean> sweepOnce() {
    return sweep().map(PhaseCount::moreWaiting);
  }

  /** The next fire, or the next time to look again at one that somebody else holds. */
  @Override
  public Optional<Instant> nextDue() {
    return firesBySchedule.values().stream()
        .flatMap(pendingFires -> pendingFires.nextCheck().stream())
        .min(Comparator.naturalOrder());
  }

  /**
   * Looks after due fires, all at once. A fire whose run cannot be made does not keep the others back, but
   * fails the future in the end.
   *
   * @return how many fires this process settled
   */
  public Future<PhaseCount> sweep() {
    beginAnewIfSetBack();
    return known
        .refresh()
        .compose(told -> context.clockMonitor().mayClaim() // it may have jumped meanwhile
            ? sweepKnown()
            : Future.succeededFuture(new PhaseCount(0, false)));
  }

  /**
   * A clock that was ahead for a while has taken the fires of that time for over. They are looked at again after it was
   * set back: those of which somebody made a run stay over.
   */
  private void beginAnewIfSetBack() {
    Instant now = context.clock().now();
    if (lastSweep.isAfter(now.plus(options.getDefinitionKept()))) {
      LOG.warn("the clock was set back from {}: all schedules are looked at anew", lastSweep);
      firesBySchedule.clear();
      known.forget();
      lastSweep = now;
    }
  }

  private Future<PhaseCount> sweepKnown() {
    Instant now = context.clock().now();
    lastSweep = now;
    List<DueFire> all = dueFires(now);
    List<DueFire> taken = all.subList(0, Math.min(all.size(), options.getSweepLimit()));
    boolean more = all.size() > taken.size()
        || firesBySchedule.values().stream().anyMatch(pendingFires -> pendingFires.isBehind(now));
    if (taken.isEmpty()) {
      return Future.succeededFuture(new PhaseCount(0, more));
    }
    return pauses
        .admitting(taken.stream().map(due -> due.schedule().key()).toList())
        .compose(admitted -> settle(withoutPaused(taken, admitted), more));
  }

  /** A fire of a paused schedule is over: a resume makes no run of it. */
  private static List<DueFire> withoutPaused(
      List<DueFire> taken, BiPredicate<ScheduleKey, Instant> admitted) {
    List<DueFire> kept = new ArrayList<>();
    for (DueFire due : taken) {
      Instant fireAt = due.fire().fireAt();
      if (admitted.test(due.schedule().key(), fireAt)) {
        kept.add(due);
      } else {
        LOG.debug("schedule {} is paused and makes no run at {}", due.schedule().key(), fireAt);
        due.pendingFires().settled(fireAt);
      }
    }
    return kept;
  }

  private Future<PhaseCount> settle(List<DueFire> taken, boolean more) {
    return Future.join(taken.stream().map(this::outcome).toList())
        .map(results -> results.<FireOutcome>list())
        .compose(outcomes -> {
          int settled = 0;
          List<Throwable> failures = new ArrayList<>();
          for (int index = 0; index < taken.size(); index++) {
            FireOutcome outcome = outcomes.get(index);
            note(taken.get(index), outcome);
            settled += outcome instanceof FireOutcome.Settled ? 1 : 0;
            if (outcome instanceof FireOutcome.Broken broken) {
              failures.add(broken.failure());
            }
          }
          return failures.isEmpty()
              ? Future.succeededFuture(new PhaseCount(settled, more))
              : Future.failedFuture(Failures.first(failures));
        });
  }

  /** Reading the calendars is bounded like everything else, since it keeps the event loop from its work. */
  private List<DueFire> dueFires(Instant now) {
    List<DueFire> due = new ArrayList<>();
    int budget = options.getSweepLimit();
    for (RegisteredSchedule schedule : schedules) {
      PendingFires pendingFires =
          firesBySchedule.computeIfAbsent(schedule.key(), key -> pendingFiresOf(schedule, now));
      budget -= pendingFires.read(now, budget);
      pendingFires.due(now).forEach(fire -> due.add(new DueFire(schedule, pendingFires, fire)));
    }
    due.sort(Comparator.comparing(each -> each.fire().checkAt()));
    return due;
  }

  /**
   * Missed fires are those between when the schedule began to count and when this process began to look; what it
   * sees pass is never missed.
   */
  private PendingFires pendingFiresOf(RegisteredSchedule registered, Instant now) {
    Schedule schedule = registered.schedule();
    MissedFires missed = schedule.missedFires();
    Instant since = known.countsFrom(registered.key());
    Instant tolerated = now.minus(options.getSkipTolerance());
    return missed.kind() == MissedFires.Kind.SKIP
        ? new PendingFires(schedule.fireTimes(), since.isAfter(tolerated) ? since : tolerated, 1)
        : new PendingFires(schedule.fireTimes(), since, missed.most());
  }

  private void note(DueFire due, FireOutcome outcome) {
    Instant fireAt = due.fire().fireAt();
    Instant now = context.clock().now();
    if (outcome instanceof FireOutcome.Settled || outcome instanceof FireOutcome.Over) {
      due.pendingFires().settled(fireAt);
    } else if (outcome instanceof FireOutcome.Broken broken && broken.mayGoAway()) {
      due.pendingFires().retryAtOnce(fireAt, broken.claim());
    } else if (outcome instanceof FireOutcome.Held held && held.until() != null) {
      due.pendingFires().retryAfterClaim(fireAt, now, ContractDefaults.SWEEP, held.until());
    } else {
      due.pendingFires()
          .retryLater(fireAt, now, options.getClaimDuration(), options.getLongestRecheck());
    }
  }

  /** Never fails. */
  private Future<FireOutcome> outcome(DueFire due) {
    Fire fire = new Fire(
        context.environment().environmentKey(), due.schedule(), due.fire().fireAt());
    Optional<ClaimedOccurrence> mine = due.fire().claimAt(context.clock().now());
    return mine.isPresent() ? fires.settle(fire, mine.get()) : fires.process(fire);
  }

  /** One fire and where it is written down. */
  private record DueFire(
      RegisteredSchedule schedule, PendingFires pendingFires, PendingFires.PendingFire fire) {}
}
