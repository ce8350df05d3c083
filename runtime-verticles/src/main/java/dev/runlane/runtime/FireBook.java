package dev.runlane.runtime;

import dev.runlane.storage.ClaimedOccurrence;
import dev.runlane.timing.FireTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one process knows of the fires of one schedule. Nothing here is durable: storage decides who makes
 * the run of a fire, and this book only spares it the questions whose answers are known. A fire is open
 * from its instant until this process saw it settled, or until too many newer ones are open.
 */
final class FireBook {
  private final FireTimes times;
  private final int most;
  private final NavigableMap<Instant, OpenFire> open = new TreeMap<>();
  private Instant readThrough; // the calendar's fires up to here are in the book, or were
  private Instant next = Instant.MIN; // of the calendar after readThrough; MAX when none follows

  /**
   * A book without a fire.
   *
   * @param after the fires up to this instant are none of this process's business
   * @param most open fires at once; of more, the latest
   */
  FireBook(FireTimes times, Instant after, int most) {
    this.times = times;
    this.most = most;
    readThrough = after;
  }

  /** The open fires that are to be looked after at {@code now}, oldest first. */
  List<OpenFire> due(Instant now) {
    if (!next.isAfter(now)) {
      readCalendar(now);
    }
    return open.values().stream().filter(fire -> !fire.lookAt().isAfter(now)).toList();
  }

  /** When {@link #due} will have something again; empty when never. */
  Optional<Instant> nextLook() {
    Instant earliest = next;
    for (OpenFire fire : open.values()) {
      earliest = fire.lookAt().isBefore(earliest) ? fire.lookAt() : earliest;
    }
    return earliest.equals(Instant.MAX) ? Optional.empty() : Optional.of(earliest);
  }

  /** Nobody needs to look at the fire again. */
  void settled(Instant fireAt) {
    open.remove(fireAt);
  }

  /**
   * The fire is not settled and is to be looked after again at once.
   *
   * @param claim under which this process may go on while it lasts, or null
   */
  void unsettled(Instant fireAt, @Nullable ClaimedOccurrence claim) {
    open.computeIfPresent(fireAt, (at, fire) -> fire.withClaim(claim));
  }

  /**
   * Storage did not give the fire: it is completed, or another's claim has not ended. Which of the two cannot
   * be told apart, so it is asked for again after {@code first}, then ever less often.
   */
  void heldElsewhere(Instant fireAt, Instant now, Duration first, Duration longest) {
    open.computeIfPresent(fireAt, (at, fire) -> fire.lookingAgain(now, first, longest));
  }

  private void readCalendar(Instant now) {
    for (Instant fireAt : times.between(readThrough, now, most)) {
      open.put(fireAt, new OpenFire(fireAt, fireAt, Duration.ZERO, null));
    }
    while (open.size() > most) {
      open.pollFirstEntry();
    }
    readThrough = now.isAfter(readThrough) ? now : readThrough;
    next = times.next(readThrough).orElse(Instant.MAX);
  }

  /**
   * A fire that is not known to be settled.
   *
   * @param lookAt when to look after it next
   * @param pause the pause before that; zero before the first look
   * @param claim this process's claim, which may have ended, or null
   */
  record OpenFire(
      Instant fireAt,
      Instant lookAt,
      Duration pause,
      @Nullable ClaimedOccurrence claim) {
    /** The claim under which this process may go on at {@code now}, if there is one. */
    Optional<ClaimedOccurrence> claimAt(Instant now) {
      return Optional.ofNullable(claim).filter(mine -> mine.claimExpiresAt().isAfter(now));
    }

    private OpenFire withClaim(@Nullable ClaimedOccurrence mine) {
      return new OpenFire(fireAt, lookAt, pause, mine);
    }

    private OpenFire lookingAgain(Instant now, Duration first, Duration longest) {
      Duration doubled = pause.isZero() ? first : pause.multipliedBy(2);
      Duration bounded = doubled.compareTo(longest) > 0 ? longest : doubled;
      return new OpenFire(fireAt, now.plus(bounded), bounded, null);
    }
  }
}
