package dev.runlane.simulation.watch;

import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Which limit the shared queue has had in each life of a process, and so which one held. No command may go beyond the
 * highest that a process near its instant had; and the lowest of a process that has long been up holds for all,
 * while nothing keeps the others from hearing of it.
 */
public final class LimitHistory {
  /** Processes tell each other of limits every 20 s. */
  private static final long LEARNED = VirtualTime.micros(Duration.ofSeconds(45));

  private static final long RECENT = VirtualTime.micros(Duration.ofSeconds(100));
  private static final Set<Kind> HARMLESS = EnumSet.of(
      Kind.PUBLISH_LOST,
      Kind.PUBLISH_DOUBLED,
      Kind.PUBLISH_DELAYED,
      Kind.PUBLISH_REFUSED,
      Kind.TRANSPORT_AWAY,
      Kind.WEBHOOK_REFUSED,
      Kind.CANCELLATION_LOST,
      Kind.COMMIT_REFUSED,
      Kind.CONSUMER_SILENT,
      Kind.REBALANCE,
      Kind.STEP_NEVER_ANSWERED,
      Kind.STEP_ANSWERED_LATE,
      Kind.STEP_ANSWERED_TWICE,
      Kind.STEP_LOST,
      Kind.LIMIT_CHANGED,
      Kind.SCHEDULE_EDITED,
      Kind.PAYLOAD_UNREADABLE,
      Kind.TASK_MISSING);

  private final List<Fault> faults;
  private final boolean noPoison;
  private final List<Version> versions = new ArrayList<>();

  /** @param noPoison whether no handler kills its process */
  public LimitHistory(List<Fault> faults, boolean noPoison) {
    this.faults = faults;
    this.noPoison = noPoison;
  }

  public Version starts(int limit, long now) {
    Version version = new Version(limit, now);
    versions.add(version);
    return version;
  }

  /**
   * The limit at an instant.
   *
   * @param slack by how much the instant of an event may be off
   */
  public int at(Instant instant, Duration slack) {
    long when = VirtualTime.micros(Duration.between(VirtualTime.START, instant));
    long off = VirtualTime.micros(slack);
    int highest = 0;
    int lowest = Integer.MAX_VALUE;
    for (Version version : versions) {
      if (version.from - off <= when && when <= version.until + off) {
        highest = Math.max(highest, version.limit);
      }
      if (version.upAt + LEARNED <= when && when <= version.goesAt) {
        lowest = Math.min(lowest, version.limit);
      }
    }
    return lowest < highest && isQuiet(when) ? lowest : highest;
  }

  private boolean isQuiet(long when) {
    return noPoison
        && faults.stream()
            .noneMatch(fault -> !HARMLESS.contains(fault.kind())
                && fault.from() <= when
                && when - RECENT <= fault.until());
  }

  /** The limit of one life of a process. */
  public static final class Version {
    private final int limit;
    private final long from;
    private long upAt = Long.MAX_VALUE / 2;
    private long goesAt = Long.MAX_VALUE / 2;
    private long until = Long.MAX_VALUE / 2;

    private Version(int limit, long from) {
      this.limit = limit;
      this.from = from;
    }

    public void isUp(long now) {
      upAt = now;
    }

    /** From then on it does not bind the others any more. */
    public void goes(long now) {
      goesAt = Math.min(goesAt, now);
    }

    public void ends(long now) {
      goes(now);
      until = Math.min(until, now);
    }
  }
}
