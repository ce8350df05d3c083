package dev.runlane.jobs.postgres.row;

import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.json.record.JobOptionsJson;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job and what its row holds besides.
 *
 * @param job the job, without entries
 * @param position where it stands among those of its priority
 * @param counted whether its parent knows how it ended
 * @param slot the deduplication key that it holds, or null
 * @param read the texts from which its options and dead letter were read, or null for a job that is not stored yet
 */
public record StoredJob(
    JobData job,
    long position,
    boolean counted,
    @Nullable String slot,
    @Nullable ReadTexts read) {
  private static final short STAYS = 0;
  private static final short GOES_AT_ONCE = 1;
  private static final short IS_COUNTED = 2;

  /** A job that is not stored yet; it holds its key as long as it is open. */
  public static StoredJob added(JobData job) {
    String slot = job.state().isTerminal() ? null : job.deduplicationKey();
    return new StoredJob(job, job.options().isLifo() ? -1 : 1, false, slot, null);
  }

  public StoredJob with(JobData other) {
    return with(other, read);
  }

  /** With the options of another, of which none of this one's are kept. */
  public StoredJob replacedBy(JobData other) {
    return with(other, null);
  }

  private StoredJob with(JobData other, @Nullable ReadTexts texts) {
    return new StoredJob(other, position, counted, other.state().isTerminal() ? null : slot, texts);
  }

  public StoredJob scheduledBy(@Nullable String key) {
    return key == null ? this : with(job.toBuilder().scheduleKey(key).build());
  }

  public StoredJob countedByParent() {
    return new StoredJob(job, position, true, slot, read);
  }

  public StoredJob holding(@Nullable String key) {
    return new StoredJob(job, position, counted, key, read);
  }

  /** The text of its options: as it was read unless they changed, and then with what this release cannot read. */
  String options(JobTexts json) {
    if (read == null) {
      return json.options(job.options());
    }
    return read.options().equals(job.options())
        ? read.optionsText()
        : JobOptionsJson.rewrite(job.options(), Json.ofChecked(read.optionsText()))
            .text();
  }

  /** The text of its dead letter, or null: as it was read unless the letter was replaced. */
  @Nullable
  String deadLetter(JobTexts json) {
    return read != null && Objects.equals(read.deadLetter(), job.deadLetter())
        ? read.deadLetterText()
        : json.deadLetter(job.deadLetter());
  }

  /** About how much the row holds. */
  public long bytes() {
    Json returned = job.returnvalue();
    return job.data().text().length() + (returned == null ? 0L : returned.text().length());
  }

  public JobRef ref() {
    return new JobRef(job.queueName(), job.id());
  }

  @Nullable
  public JobRef parent() {
    return job.parentId() == null || job.parentQueueName() == null
        ? null
        : new JobRef(job.parentQueueName(), job.parentId());
  }

  public short direction() {
    return (short) (position < 0 ? -1 : 1);
  }

  /** What becomes of the row when the job completes. */
  public static short removal(JobOptions options) {
    JobRemoval removal = options.removeOnComplete();
    if (removal == null) {
      return STAYS;
    }
    if (removal.isAtOnce()) {
      return GOES_AT_ONCE;
    }
    return removal.count() == null ? STAYS : IS_COUNTED;
  }

  /** How long the job stays when it completes, or null. */
  static @Nullable public Long keepMillis(JobOptions options) {
    JobRemoval removal = options.removeOnComplete();
    return removal == null || removal.age() == null ? null : removal.age().toMillis();
  }

  /** When the job goes that has ended, or null. */
  static @Nullable Instant removeAt(JobData job) {
    if (!job.state().isTerminal()) {
      return null;
    }
    JobRemoval removal = job.options().removalAfter(job.state());
    Instant ended = job.state() == JobState.COMPLETED ? job.completedAt() : job.failedAt();
    Duration age = removal == null ? null : removal.age();
    return age == null || ended == null ? null : ended.plus(age);
  }

  /** Until when the job may stand for its key, or null for as long as it is open. */
  static @Nullable public Instant deduplicationUntil(JobData job) {
    return job.deduplicationKey() == null
            || job.options().deduplication() == null
            || job.options().deduplication().ttl() == null
        ? null
        : job.createdAt().plus(job.options().deduplication().ttl());
  }

  /**
   * What was read of a row, as it says it. A later release may say more there than this one knows, so what did not
   * change is written back as it was.
   */
  record ReadTexts(
      JobOptions options,
      String optionsText,
      @Nullable DeadLetter deadLetter,
      @Nullable String deadLetterText) {}
}
