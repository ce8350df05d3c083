package dev.runlane.simulation.fault;

import java.time.Duration;
import java.util.Locale;

/**
 * Something that goes wrong in a window of true time.
 *
 * @param kind what
 * @param process whose, or {@link #ALL}
 * @param from when it begins, in microseconds since the start
 * @param until when it is over
 * @param rate how often it happens where it may, from 0 to 1
 * @param micros how far or how long, where the kind has such a thing; of a limit, the limit, of
 *     schedules, the edition, of a process that is stopped or told to end, what it has claimed then: 0 is nothing
 */
public record Fault(Kind kind, int process, long from, long until, double rate, long micros) {
  /** Every process. */
  public static final int ALL = -1;

  /** A command whose connection broke is carried out no later. */
  public static final Duration LATEST = Duration.ofSeconds(5);

  /** The limit of a deployment that gives the shared queue none. */
  public static final int NO_LIMIT = Integer.MAX_VALUE;

  /** Whether it hits this process now. */
  public boolean isActive(long now, int of) {
    return now >= from && now < until && isOf(of);
  }

  /** Whether it hits this process while it is active. */
  public boolean isOf(int which) {
    return process == ALL || process == which;
  }

  @Override
  public String toString() {
    String whose = process == ALL ? "all" : "p" + process;
    String rated = rate < 1 ? String.format(Locale.ROOT, " at %.0f %%", rate * 100) : "";
    String span = micros == 0
        ? ""
        : kind == Kind.LIMIT_CHANGED || kind == Kind.SCHEDULE_EDITED
            ? " to " + (micros == NO_LIMIT ? "none" : micros)
            : " by " + Duration.ofNanos(micros * 1_000);
    return String.format(
        Locale.ROOT,
        "%s of %s from %.3f s %s%s%s",
        kind.name().toLowerCase(Locale.ROOT),
        whose,
        from / 1e6,
        until == Long.MAX_VALUE ? "on" : String.format(Locale.ROOT, "until %.3f s", until / 1e6),
        rated,
        span);
  }

  /** What can go wrong. */
  public enum Kind {
    /** A call of the storage takes seconds on its way there. */
    STORAGE_SLOW,
    /** A call fails at once and changes nothing. */
    STORAGE_REFUSED,
    /** A call is not answered until its deadline and fails then; it may have been carried out, late. */
    STORAGE_SILENT,
    /** A call is carried out, but its answer is a failure. */
    STORAGE_FAILED_AFTER_COMMIT,
    /** Calls that change something are refused. */
    STORAGE_READ_ONLY,
    /** The connections of a process break at a call: what is under way fails at once, and comes late or never. */
    STORAGE_CUT,
    /**
     * A standby takes the storage's place for all, which has not heard of the last commits, of so long: soon after a
     * run was claimed in the window, and else when that ends.
     */
    STORAGE_FAILOVER,
    /** A publish is answered as published, but nobody hears of it. */
    PUBLISH_LOST,
    /** A wakeup comes twice. */
    PUBLISH_DOUBLED,
    /** A wakeup comes minutes later. */
    PUBLISH_DELAYED,
    /** A message of a publish is refused. */
    PUBLISH_REFUSED,
    /** The transport cannot be reached. */
    TRANSPORT_AWAY,
    /** The receiver of webhooks refuses, or does not answer, whether it has heard or not. */
    WEBHOOK_REFUSED,
    /** A push of a cancellation, or of news of remote steps, is lost. */
    CANCELLATION_LOST,
    /** A commit of a consumer's offsets fails. */
    COMMIT_REFUSED,
    /** The broker does not hear of the process's consumer, which goes on, and throws it out of its group. */
    CONSUMER_SILENT,
    /** The partitions are shared out anew when the window begins. */
    REBALANCE,
    /** A worker of steps drops what it has claimed, as one that dies does. */
    STEP_NEVER_ANSWERED,
    /** A worker of steps answers long after its lease, which it did not renew. */
    STEP_ANSWERED_LATE,
    /** Somebody takes the task of a step away that a worker has claimed. */
    STEP_LOST,
    /** A worker of steps records its result again. */
    STEP_ANSWERED_TWICE,
    /** The process is killed when the window begins, and started again when it ends. */
    KILL,
    /** The process is killed when it calls the storage, before or after that is carried out. */
    KILL_AT_CALL,
    /** The process is stopped when the window begins, or has claimed something in it, and continued when it ends. */
    PAUSE,
    /** The process is told to end when the window begins, and started again when it has, or when the window ends. */
    RESTART,
    /** The process's clock is ahead, or behind where the span is negative. */
    CLOCK_OFF,
    /** The process's clock gains that much a second from then on, or loses it, until the window ends. */
    CLOCK_DRIFTS,
    /** A deployment without one of the tasks: what is started in the window does not know it. */
    TASK_MISSING,
    /** A deployment that cannot read some payloads of a task, rolled out and back. */
    PAYLOAD_UNREADABLE,
    /** A deployment with another limit of the shared queue, or none, rolled out and back when the window ends. */
    LIMIT_CHANGED,
    /** A deployment whose schedules are disabled or fire at other times, rolled out and back like that. */
    SCHEDULE_EDITED
  }
}
