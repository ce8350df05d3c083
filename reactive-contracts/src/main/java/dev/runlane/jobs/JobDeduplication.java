package dev.runlane.jobs;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps jobs with equal keys from being open at the same time.
 *
 * @param key the key, or null to take the hash of the payload
 * @param ttl how long after the first job's creation it holds, or null for as long as that job is open; {@link
 *     Mode#DEBOUNCE} does not extend it
 * @param mode what becomes of the second job
 */
public record JobDeduplication(
    @Nullable String key, @Nullable Duration ttl, Mode mode) {
  /** What becomes of a job whose key an open job has. The string values never change. */
  public enum Mode {
    /** It is dropped. */
    KEEP("keep"),
    /**
     * Its name, payload and options take the place of those of the open job, which keeps its id, position and
     * due time, and has all of its attempts again. A job that is active, waits for children, or has children or a
     * parent, is left as it is.
     */
    REPLACE("replace"),
    /**
     * As {@link #REPLACE}, and a job that is waiting or delayed becomes due when the new one would: each
     * further add pushes it on. With a time to live it does so that long after the job's creation; the next add is a
     * job of its own then, so one that is to run once, however often it is pushed on, has none.
     */
    DEBOUNCE("debounce");

    private final String value;

    Mode(String value) {
      this.value = value;
    }

    /** The string that is stored. */
    public String value() {
      return value;
    }
  }

  /** Refuses a null mode. */
  public JobDeduplication {
    Objects.requireNonNull(mode);
  }

  /** By this key, for as long as the first job is open; the second is dropped. */
  public static JobDeduplication byKey(String key) {
    return new JobDeduplication(key, null, Mode.KEEP);
  }

  /** By the payload's hash, for as long as the first job is open; the second is dropped. */
  public static JobDeduplication byPayload() {
    return new JobDeduplication(null, null, Mode.KEEP);
  }

  /** The same, for so long after the first job's creation, however often a later one pushes it on. */
  public JobDeduplication within(Duration timeToLive) {
    return new JobDeduplication(key, timeToLive, mode);
  }

  /** The same with this fate of the second job. */
  public JobDeduplication as(Mode fate) {
    return new JobDeduplication(key, ttl, fate);
  }
}
