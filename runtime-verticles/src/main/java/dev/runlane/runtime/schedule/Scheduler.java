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

/**
 * Looks after the fires of the enabled schedules, each of which makes a run: which are due, and when to look again
 * at one that is not settled. What happens to a fire is {@link Fires}'; since when a schedule counts says {@link
 * KnownSchedules}.
 */
public final class Scheduler implements SweepRole {
  private final RuntimeContext context;
  private final SchedulerOptions options;
  private final List<RegisteredSchedule> schedules;
  private final KnownSchedules known;
  private final Fires fires;
  private final Map<ScheduleKey, FireBook> books =
      new LinkedHashMap<>(); // filled by the first sweep that knows since when

  /** Throws {@code CapabilityUnsupported} when there are schedules and the storage claims no occurrences. */
  public Scheduler(RuntimeContext context, SchedulerOptions options) {
    this.context = context;
    this.options = options;
    schedules = context.registry().schedules().stream()
        .filter(registered -> registered.schedule().isEnabled())
        .toList();
    known = new KnownSchedules(context, options);
    fires = new Fires(context, options);
    if (!schedules.isEmpty()) {
      Capabilities.require(
          context.storage().capabilities(),
          StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES,
          "a scheduler");
    }
  }

  /** Looks after due fires; true when there were more than one sweep takes. */
  @Override
  public Future<Boolean> sweepOnce() {
    return sweep().map(PhaseCount::moreWaiting);
  }

  /** The next fire, or the next time to look again at one that somebody else holds. */
  @Override
  public Optional<Instant> nextDue() {
    return books.values().stream()
        .flatMap(book -> book.nextLook().stream())
        .min(Comparator.naturalOrder());
  }

  /**
   * Looks after due fires, all at once. A fire whose run cannot be made does not keep the others back, but
   * fails the future in the end.
   *
   * @return how many fires this process settled
   */
  public Future<PhaseCount> sweep() {
    return known.refresh().compose(told -> sweepKnown());
  }

  private Future<PhaseCount> sweepKnown() {
    Instant now = context.clock().now();
    List<DueFire> all = dueFires(now);
    List<DueFire> taken = all.subList(0, Math.min(all.size(), options.getSweepLimit()));
    boolean more =
        all.size() > taken.size() || books.values().stream().anyMatch(book -> book.isBehind(now));
    if (taken.isEmpty()) {
      return Future.succeededFuture(new PhaseCount(0, more));
    }
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
      FireBook book = books.computeIfAbsent(schedule.key(), key -> openBook(schedule, now));
      budget -= book.read(now, budget);
      book.due(now).forEach(fire -> due.add(new DueFire(schedule, book, fire)));
    }
    due.sort(Comparator.comparing(each -> each.fire().lookAt()));
    return due;
  }

  /**
   * Missed fires are those between when the schedule began to count and when this process began to look; what it
   * sees pass is never missed.
   */
  private FireBook openBook(RegisteredSchedule registered, Instant now) {
    Schedule schedule = registered.schedule();
    MissedFires missed = schedule.missedFires();
    Instant since = known.countsFrom(registered.key());
    Instant tolerated = now.minus(options.getSkipTolerance());
    return missed.kind() == MissedFires.Kind.SKIP
        ? new FireBook(schedule.fireTimes(), since.isAfter(tolerated) ? since : tolerated, 1)
        : new FireBook(schedule.fireTimes(), since, missed.most());
  }

  private void note(DueFire due, FireOutcome outcome) {
    Instant fireAt = due.fire().fireAt();
    Instant now = context.clock().now();
    if (outcome instanceof FireOutcome.Settled || outcome instanceof FireOutcome.Over) {
      due.book().settled(fireAt);
    } else if (outcome instanceof FireOutcome.Broken broken && broken.mayGoAway()) {
      due.book().unsettled(fireAt, broken.claim());
    } else if (outcome instanceof FireOutcome.Held held && held.until() != null) {
      due.book().claimedElsewhere(fireAt, now, ContractDefaults.SWEEP, held.until());
    } else {
      due.book()
          .heldElsewhere(fireAt, now, options.getClaimDuration(), options.getLongestRecheck());
    }
  }

  /** Never fails. */
  private Future<FireOutcome> outcome(DueFire due) {
    Fire fire = new Fire(
        context.environment().environmentKey(), due.schedule(), due.fire().fireAt());
    Optional<ClaimedOccurrence> mine = due.fire().claimAt(context.clock().now());
    return mine.isPresent() ? fires.settle(fire, mine.get()) : fires.take(fire);
  }

  /** One fire and where it is written down. */
  private record DueFire(RegisteredSchedule schedule, FireBook book, FireBook.OpenFire fire) {}
}
