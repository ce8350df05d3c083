package dev.runlane.drills.history;

import dev.runlane.run.RunEvent;
import dev.runlane.simulation.history.OutcomeAttempt;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How long work took to recover from each fault, computed from the histories: until the part that the fault
 * hit finished its first attempt afterwards, and until attempts finished at half the former pace and more from
 * then on. Pace is counted over the {@link #BEFORE} before the fault and over windows of {@link #WINDOW} after.
 */
public final class Recoveries {
  static final Duration BEFORE = Duration.ofSeconds(3);
  static final Duration WINDOW = Duration.ofSeconds(1);

  private static final Duration STEP = Duration.ofMillis(50);

  private final List<Finish> finishes;

  private Recoveries(List<Finish> finishes) {
    this.finishes = finishes;
  }

  /** An attempt that ended with an outcome, in the hands of this worker. */
  public record Finish(Instant at, String runId, String worker) {}

  /**
   * What happened to whom.
   *
   * @param name for the report
   * @param at when
   * @param until the next fault, or the end of the load: what is slow then has another reason
   * @param hit the attempts of the part that it hit
   */
  public record Fault(String name, Instant at, Instant until, Predicate<Finish> hit) {}

  /**
   * How a fault was recovered from.
   *
   * @param first until the part that was hit finished an attempt; empty: it never did
   * @param last until it finished its last attempt, which tells something of runs that it held alone
   * @param steady until the pace was back for good; empty: not before the next fault
   */
  public record Recovery(
      Optional<Duration> first, Optional<Duration> last, Optional<Duration> steady) {
    @Override
    public String toString() {
      return "first attempt " + millis(first, "was none") + ", steady "
          + millis(steady, "not before the next fault");
    }

    private static String millis(Optional<Duration> time, String otherwise) {
      return time.map(known -> "after " + known.toMillis() + " ms").orElse(otherwise);
    }
  }

  /** What the histories tell; {@code offsets} is by how much the clock of each worker was ahead. */
  public static Recoveries in(List<RunHistory> histories, Map<String, Duration> offsets) {
    List<Finish> finishes = new ArrayList<>();
    for (RunHistory history : histories) {
      String worker = "";
      for (RunEventRecord row : history.events()) {
        if (row.event() instanceof RunEvent.LeaseClaimed claimed) {
          worker = claimed.lease().workerId();
        } else if (OutcomeAttempt.of(row.event()).isPresent()) {
          Instant at = row.event().header().occurredAt();
          Duration ahead = offsets.getOrDefault(worker, Duration.ZERO);
          finishes.add(new Finish(at.minus(ahead), history.runId(), worker));
        }
      }
    }
    return of(finishes);
  }

  /** What these attempts tell, in whatever order. */
  static Recoveries of(List<Finish> finishes) {
    return new Recoveries(
        finishes.stream().sorted(Comparator.comparing(Finish::at)).toList());
  }

  /** All attempts that ended, in the order of time. */
  public List<Finish> finishes() {
    return finishes;
  }

  /** How long it took to recover from this one. */
  public Recovery from(Fault fault) {
    List<Duration> after = finishes.stream()
        .filter(finish -> finish.at().isAfter(fault.at()) && fault.hit().test(finish))
        .map(finish -> Duration.between(fault.at(), finish.at()))
        .toList();
    return new Recovery(
        after.stream().findFirst(),
        after.isEmpty() ? Optional.empty() : Optional.of(after.get(after.size() - 1)),
        steady(fault));
  }

  private Optional<Duration> steady(Fault fault) {
    double before = count(fault.at().minus(BEFORE), fault.at());
    double wanted = Math.max(1, before * WINDOW.toMillis() / BEFORE.toMillis() / 2);
    Instant last = fault.until().minus(WINDOW); // the last window's begin
    Instant steadySince = fault.at();
    for (Instant from = fault.at(); !from.isAfter(last); from = from.plus(STEP)) {
      if (count(from, from.plus(WINDOW)) < wanted) {
        steadySince = from.plus(STEP);
      }
    }
    return steadySince.isAfter(last)
        ? Optional.empty()
        : Optional.of(Duration.between(fault.at(), steadySince));
  }

  private long count(Instant from, Instant to) {
    return position(to) - position(from);
  }

  /** How many finished before an instant. */
  private int position(Instant instant) {
    int low = 0;
    int high = finishes.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (finishes.get(middle).at().isBefore(instant)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
