package dev.runlane.runtime.schedule;

import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.timing.fire.FireTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The fires of one schedule that one process has not seen settled. Nothing here is durable: storage decides
 * who makes the run of a fire, and this class only saves calls whose answers are known. A fire is pending
 * from its instant until this process saw it settled, or until too many newer ones are open. One that somebody has
 * claimed has begun: newer ones do not supersede it for as long as the claim lasts, so that it is made also where its
 * claimer was killed.
 */
final class PendingFires {
  private static final int MOST_CLAIMED = 100;

  private final FireTimes times;
  private final int most;
  private final NavigableMap<Instant, PendingFire> open = new TreeMap<>();
  private Instant readThrough; // the calendar's fires up to here are pending here, or were
  private Instant next = Instant.MIN; // of the calendar after readThrough; MAX when none follows
  private @Nullable UnreadRange unread; // before readThrough

  /**
   * No fire is pending.
   *
   * @param after the fires up to this instant are left out
   * @param most open fires at once that nobody has claimed; of more, the latest
   */
  PendingFires(FireTimes times, Instant after, int most) {
    this.times = times;
    this.most = most;
    readThrough = after;
  }

  /**
   * Reads on in the calendar, where it costs time to find a fire, and opens what it finds, latest first.
   *
   * @param budget most fires to find now
   * @return how much of the budget was used
   */
  int read(Instant now, int budget) {
    if (budget < 1) {
      return 0;
    }
    if (unread != null) {
      return readOlder(unread, budget);
    }
    return next.isAfter(now) ? 0 : readNew(now, budget);
  }

  /** Whether {@link #read} has not come to the end of its work at {@code now}. */
  boolean isBehind(Instant now) {
    return !next.isAfter(now) || unread != null;
  }

  /** The pending fires to process at {@code now}, oldest first. */
  List<PendingFire> due(Instant now) {
    return open.values().stream().filter(fire -> !fire.checkAt().isAfter(now)).toList();
  }

  /** When there is something to read or to check again; empty when never. */
  Optional<Instant> nextCheck() {
    Instant earliest = next;
    for (PendingFire fire : open.values()) {
      earliest = fire.checkAt().isBefore(earliest) ? fire.checkAt() : earliest;
    }
    return earliest.equals(Instant.MAX) ? Optional.empty() : Optional.of(earliest);
  }

  /** The fire is settled: it is not checked again. */
  void settled(Instant fireAt) {
    open.remove(fireAt);
  }

  /**
   * The fire is not settled and is checked again at once.
   *
   * @param claim under which this process may continue while it lasts, or null
   */
  void retryAtOnce(Instant fireAt, @Nullable ClaimedOccurrence claim) {
    open.computeIfPresent(fireAt, (at, fire) -> fire.withClaim(claim));
  }

  /**
   * The claim was refused: the fire is completed, or another process's claim has not ended. Storage does not say which
   * of the two, so the fire is claimed again after {@code first}, then ever less often.
   */
  void retryLater(Instant fireAt, Instant now, Duration first, Duration longest) {
    open.computeIfPresent(fireAt, (at, fire) -> fire.withNextCheck(now, first, longest, false));
  }

  /**
   * Another process's claim has not ended. Its holder is likely to be done with it soon, so the fire is claimed again
   * after {@code first}, then ever less often, and at the end of the claim at the latest.
   */
  void retryAfterClaim(Instant fireAt, Instant now, Duration first, Instant until) {
    Duration longest = Duration.between(now, until);
    open.computeIfPresent(
        fireAt,
        (at, fire) ->
            fire.withNextCheck(now, first, longest.compareTo(first) < 0 ? first : longest, true));
  }

  private int readNew(Instant now, int budget) {
    int wanted = Math.min(most, budget);
    List<Instant> fires = times.between(readThrough, now, wanted);
    if (fires.size() == wanted) {
      unread = UnreadRange.before(fires, readThrough, most - wanted);
    }
    openAll(fires);
    readThrough = now.isAfter(readThrough) ? now : readThrough;
    next = times.next(readThrough).orElse(Instant.MAX);
    return fires.size() + 1;
  }

  private int readOlder(UnreadRange older, int budget) {
    int wanted = Math.min(older.most(), budget);
    List<Instant> fires = times.between(older.after(), older.upTo(), wanted);
    unread = fires.size() == wanted
        ? UnreadRange.before(fires, older.after(), older.most() - wanted)
        : null;
    openAll(fires);
    return fires.size() + 1;
  }

  private void openAll(List<Instant> fires) {
    fires.forEach(
        fireAt -> open.put(fireAt, new PendingFire(fireAt, fireAt, Duration.ZERO, null, false)));
    dropFirst(fire -> !fire.isClaimed(), most);
    dropFirst(PendingFire::isClaimed, Math.max(most, MOST_CLAIMED));
  }

  private void dropFirst(Predicate<PendingFire> which, int kept) {
    List<PendingFire> alike = open.values().stream().filter(which).toList();
    alike.subList(0, Math.max(0, alike.size() - kept)).forEach(fire -> open.remove(fire.fireAt()));
  }

  /**
   * A part of the calendar that is to be read later.
   *
   * @param most fires wanted of it, the latest
   */
  private record UnreadRange(Instant after, Instant upTo, int most) {
    /** What lies before the fires that were read; null when nothing of it is wanted. */
    static @Nullable UnreadRange before(List<Instant> fires, Instant after, int most) {
      return most == 0 ? null : new UnreadRange(after, fires.get(0).minusNanos(1), most);
    }
  }

  /**
   * A fire that is not known to be settled.
   *
   * @param checkAt when to check it next
   * @param pause the pause before that; zero before the first check
   * @param claim this process's claim, which may have ended, or null
   * @param isAnothers whether another process's claim of it had not ended when it was checked last
   */
  record PendingFire(
      Instant fireAt,
      Instant checkAt,
      Duration pause,
      @Nullable ClaimedOccurrence claim,
      boolean isAnothers) {
    boolean isClaimed() {
      return claim != null || isAnothers;
    }

    /** The claim under which this process may continue at {@code now}, if there is one. */
    Optional<ClaimedOccurrence> claimAt(Instant now) {
      return Optional.ofNullable(claim).filter(mine -> mine.claimExpiresAt().isAfter(now));
    }

    private PendingFire withClaim(@Nullable ClaimedOccurrence mine) {
      return new PendingFire(fireAt, checkAt, pause, mine, false);
    }

    private PendingFire withNextCheck(
        Instant now, Duration first, Duration longest, boolean anothers) {
      Duration doubled = pause.isZero() ? first : pause.multipliedBy(2);
      Duration bounded = doubled.compareTo(longest) > 0 ? longest : doubled;
      return new PendingFire(fireAt, now.plus(bounded), bounded, null, anothers);
    }
  }
}
