package dev.runlane.jobs.postgres.row;

import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobState;
import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Jobs as rows: the columns' names for statements, their arrays for writing, and their order for reading. */
public final class JobRows {
  /** What a job is made of, in the order in which it is read; {@code r_summary} of {@code reads.sql} has the same. */
  private static final Columns<Written> READ = new Columns<Written>()
      .texts("queue", each -> each.row().job().queueName())
      .texts("id", each -> each.row().job().id())
      .texts("name", each -> each.row().job().name())
      .texts("data", each -> each.row().job().data().text())
      .texts("state", each -> each.row().job().state().value())
      .texts("options", each -> each.row().options(each.json()))
      .times("created_at", each -> each.row().job().createdAt())
      .integers("attempts_made", each -> each.row().job().attemptsMade())
      .integers("started_attempts", each -> each.row().job().startedAttempts())
      .integers("stalls", each -> each.row().job().stalls())
      .doubles("progress", each -> each.row().job().progress())
      .integers("pending_children", each -> each.row().job().pendingChildrenCount())
      .flags("discarded", each -> each.row().job().discarded())
      .flags("counted", each -> each.row().counted())
      .times("processed_at", each -> each.row().job().processedAt())
      .times("completed_at", each -> each.row().job().completedAt())
      .times("failed_at", each -> each.row().job().failedAt())
      .times("delay_until", each -> each.row().job().delayUntil())
      .times("cancelled_at", each -> each.row().job().cancelledAt())
      .times("lock_until", each -> each.row().job().lockUntil())
      .texts("locked_by", each -> each.row().job().lockedBy())
      .texts("lock_token", each -> each.row().job().lockToken())
      .texts("group_id", each -> each.row().job().groupId())
      .texts("parent_queue", each -> each.row().job().parentQueueName())
      .texts("parent_id", each -> each.row().job().parentId())
      .texts("deduplication_key", each -> each.row().job().deduplicationKey())
      .texts(
          "deduplication_slot",
          each -> DeduplicationSlots.ofNullable(
              each.row().job().queueName(), each.row().slot()))
      .texts("schedule_key", each -> each.row().job().scheduleKey())
      .texts("children", each -> children(each.row().job()))
      .texts("dead_letter", each -> each.row().deadLetter(each.json()))
      .texts("returnvalue", each -> textOrNull(each.row().job().returnvalue()))
      .texts("failed_reason", each -> each.row().job().failedReason());

  /** And what is derived from that, for statements alone; an array is named as its column. */
  public static final Columns<Written> WRITTEN = READ.doubles(
          "priority", each -> each.row().job().options().effectivePriority())
      .flags("repeats", each -> each.row().job().options().repeat() != null)
      .shorts("removal", each -> StoredJob.removal(each.row().job().options()))
      .longs("keep_millis", each -> StoredJob.keepMillis(each.row().job().options()))
      .times("remove_at", each -> StoredJob.removeAt(each.row().job()))
      .times(
          "deduplication_until", each -> StoredJob.deduplicationUntil(each.row().job()));

  private static final int LOCK_TOKEN = 1 + READ.names().indexOf("lock_token");
  private static final JsonLimits IDS = new JsonLimits(Integer.MAX_VALUE, 1); // of any number
  private static final Logger LOG = LoggerFactory.getLogger(JobRows.class);

  private final JobTexts json;

  public JobRows(JobTexts json) {
    this.json = json;
  }

  /** What statements may name in braces. */
  static Map<String, String> fragments() {
    return Map.ofEntries(
        Map.entry("columns", String.join(", ", READ.names())),
        Map.entry("j_columns", prefixed("j.", READ)),
        Map.entry("u_columns", prefixed("u.", READ)),
        Map.entry("r_columns", prefixed("r.", READ)),
        Map.entry("written", String.join(", ", WRITTEN.names())),
        Map.entry("g_written", prefixed("g.", WRITTEN)),
        Map.entry("slot_of", DeduplicationSlots.SLOT_OF),
        Map.entry("arrays", String.join(", ", WRITTEN.arrays())));
  }

  private static String prefixed(String prefix, Columns<Written> columns) {
    return columns.names().stream().map(name -> prefix + name).collect(Collectors.joining(", "));
  }

  /** What is written of jobs. */
  public List<Written> written(List<StoredJob> jobs) {
    return jobs.stream().map(job -> new Written(job, json)).toList();
  }

  private static @Nullable String children(JobData job) {
    return job.childrenIds().isEmpty()
        ? null
        : JsonCodec.standard().encode("the children", job.childrenIds(), IDS).text();
  }

  private static List<String> childrenIds(@Nullable String text) {
    return text == null
        ? List.of()
        : List.of(
            JsonCodec.standard().decode("the children", Json.ofChecked(text), String[].class));
  }

  private static @Nullable String textOrNull(@Nullable Json value) {
    return value == null ? null : value.text();
  }

  /** All of them; throws {@code InvariantViolation} where one cannot be read. */
  public List<StoredJob> stored(RowSet<Row> rows) {
    List<StoredJob> jobs = new ArrayList<>(rows.size());
    for (Row row : rows) {
      jobs.add(stored(row));
    }
    return jobs;
  }

  /** Those that can be read: of the others, as of a later release, the first is named in the log. */
  public List<JobData> readable(RowSet<Row> rows) {
    return read(rows).jobs().stream().map(StoredJob::job).toList();
  }

  /** The same, with what is known of the others. */
  public Read read(Iterable<Row> rows) {
    List<StoredJob> jobs = new ArrayList<>();
    List<JobLock> others = new ArrayList<>();
    @Nullable RuntimeException first = null;
    for (Row row : rows) {
      try {
        jobs.add(stored(row));
      } catch (RuntimeException unreadable) {
        first = first == null ? unreadable : first;
        others.add(new JobLock(
            row.getString(1),
            row.getString(2),
            Objects.requireNonNullElse(row.getString(LOCK_TOKEN), "")));
      }
    }
    if (!others.isEmpty()) {
      LOG.warn(
          "job {} of queue {} cannot be read, as of a later release, and is passed over; so are {} others",
          others.get(0).jobId(),
          others.get(0).queueName(),
          others.size() - 1,
          first);
    }
    return new Read(jobs, others);
  }

  /**
   * A row that begins with the place and continues with the columns that are read. Throws {@code InvariantViolation}
   * where it cannot be read, as of a later release.
   */
  public StoredJob stored(Row row) {
    return reading(row, () -> read(row));
  }

  /** What is read of a job's row. Throws {@code InvariantViolation}, which names the job, where that throws. */
  public static <T> T reading(Row row, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (RuntimeException unreadable) {
      String queue = row.getString(1);
      String id = row.getString(2);
      throw RunlaneException.invariantViolation(
              "job %s of queue %s cannot be read, as of a later release", id, queue)
          .withMeta("jobId", id)
          .withMeta("queueName", queue)
          .causedBy(unreadable);
    }
  }

  private StoredJob read(Row row) {
    Cells cells = new Cells(row);
    long place = Objects.requireNonNull(row.getLong(0));
    String queue = cells.text();
    String id = cells.text();
    String name = cells.text();
    Json data = Json.ofChecked(cells.text());
    JobState state = state(cells.text());
    String optionsText = cells.text();
    JobOptions options = json.options(optionsText);
    Instant createdAt = Objects.requireNonNull(cells.timeOrNull());
    JobData.Builder job = JobData.builder(id, queue, name, data, state, options, createdAt)
        .attemptsMade(cells.count())
        .startedAttempts(cells.count())
        .stalls(cells.count())
        .progress(Objects.requireNonNull(row.getDouble(cells.next())))
        .pendingChildrenCount(cells.count())
        .discarded(cells.flag());
    boolean counted = cells.flag();
    job.processedAt(cells.timeOrNull())
        .completedAt(cells.timeOrNull())
        .failedAt(cells.timeOrNull())
        .delayUntil(cells.timeOrNull())
        .cancelledAt(cells.timeOrNull())
        .lockUntil(cells.timeOrNull())
        .lockedBy(cells.textOrNull())
        .lockToken(cells.textOrNull())
        .groupId(cells.textOrNull())
        .parentQueueName(cells.textOrNull())
        .parentId(cells.textOrNull());
    String key = cells.textOrNull();
    job.deduplicationKey(key);
    String slot = DeduplicationSlots.keyOf(queue, cells.textOrNull(), key);
    job.scheduleKey(cells.textOrNull()).childrenIds(childrenIds(cells.textOrNull()));
    String letterText = cells.textOrNull();
    DeadLetter letter = json.deadLetterOrNull(letterText);
    job.deadLetter(letter).returnvalue(cells.jsonOrNull()).failedReason(cells.textOrNull());
    return new StoredJob(
        job.build(),
        place,
        counted,
        slot,
        new StoredJob.ReadTexts(options, optionsText, letter, letterText));
  }

  /** How many columns a job's row has before others may follow. */
  public static int width() {
    return 1 + READ.names().size();
  }

  public static JobState state(String value) {
    return JobState.ofValue(value)
        .orElseThrow(() -> RunlaneException.invariantViolation("unknown job state %s", value));
  }

  /**
   * Rows that were read.
   *
   * @param jobs those that can be read
   * @param others which the others are, with the tokens of their locks
   */
  public record Read(List<StoredJob> jobs, List<JobLock> others) {}

  /** A row to be written. */
  public record Written(StoredJob row, JobTexts json) {}

  /** Reads from left to right. */
  private static final class Cells {
    private final Row row;
    private int next = 1;

    Cells(Row row) {
      this.row = row;
    }

    int next() {
      return next++;
    }

    @Nullable
    String textOrNull() {
      return row.getString(next++);
    }

    @Nullable
    Json jsonOrNull() {
      String text = textOrNull();
      return text == null ? null : Json.ofChecked(text);
    }

    String text() {
      return Objects.requireNonNull(row.getString(next++));
    }

    int count() {
      return Objects.requireNonNull(row.getInteger(next++));
    }

    boolean flag() {
      return Objects.requireNonNull(row.getBoolean(next++));
    }

    @Nullable
    Instant timeOrNull() {
      OffsetDateTime time = row.getOffsetDateTime(next++);
      return time == null ? null : time.toInstant();
    }
  }
}
