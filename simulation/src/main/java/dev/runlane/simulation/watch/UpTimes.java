package dev.runlane.simulation.watch;

import dev.runlane.simulation.world.VirtualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** When processes were there, from their start until their end, when there was none at all, and when passes began. */
public final class UpTimes {
  private final List<Span> none = new ArrayList<>();
  private final List<Span> edited = new ArrayList<>();
  private final List<Long> passes = new ArrayList<>();
  private int living;
  private long noneSince;
  private long editedSince;
  private int edition;

  /**
   * One more process is up.
   *
   * @param of which edition of the schedules it has
   */
  public void begins(int of, long now) {
    if (living == 0 && now > noneSince) {
      none.add(new Span(noneSince, now, 0));
    }
    living++;
    if (of != edition) {
      edited.add(new Span(editedSince, now, edition));
      edition = of;
      editedSince = now;
    }
  }

  public void ends(long now) {
    living--;
    if (living == 0) {
      noneSince = now;
    }
  }

  /** A process begins a pass of {@code tick}. */
  public void passes(long now) {
    passes.add(now);
  }

  /** Whether a pass began from one instant on and before another. */
  public boolean isPassedBetween(Instant from, Instant until) {
    return passes.stream()
        .map(UpTimes::instant)
        .anyMatch(pass -> !pass.isBefore(from) && pass.isBefore(until));
  }

  private static Instant instant(long micros) {
    return VirtualTime.START.plusNanos(micros * 1_000);
  }

  /** When no process was there. */
  public List<Span> none() {
    return List.copyOf(none);
  }

  /** Which edition of the schedules the last process had that was started, where one at a time is. */
  public List<Span> editions(long now) {
    List<Span> all = new ArrayList<>(edited);
    all.add(new Span(editedSince, now, edition));
    return all;
  }

  /**
   * A span of true time.
   *
   * @param edition of the schedules
   */
  public record Span(long fromMicros, long untilMicros, int edition) {
    /** When it begins. */
    public Instant from() {
      return instant(fromMicros);
    }

    /** When it is over. */
    public Instant until() {
      return instant(untilMicros);
    }
  }
}
