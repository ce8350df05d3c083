package dev.runlane.jobs.postgres.row;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.postgres.Columns;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Jobs as rows: the columns' names for statements, their arrays for writing, and their order for reading. */
public final class JobRows {
  /** Read in this order. */
  private static final List<String> READ = List.of(
      "queue",
      "id",
      "name",
      "state",
      "attempts_made",
      "started_attempts",
      "stalls",
      "progress",
      "pending_children",
      "discarded",
      "counted",
      "created_at",
      "processed_at",
      "completed_at",
      "failed_at",
      "delay_until",
      "cancelled_at",
      "lock_until",
      "locked_by",
      "lock_token",
      "group_id",
      "parent_queue",
      "parent_id",
      "deduplication_key",
      "deduplication_slot",
      "schedule_key",
      "children",
      "dead_letter",
      "options",
      "data",
      "returnvalue",
      "failed_reason");

  /** Derived from the others, for statements alone. */
  private static final List<String> DERIVED =
      List.of("priority", "repeats", "removal", "keep_millis", "remove_at", "deduplication_until");

  private static final List<String> TYPES = List.of(
      "text",
      "text",
      "text",
      "text",
      "integer",
      "integer",
      "integer",
      "float8",
      "integer",
      "boolean",
      "boolean",
      "timestamptz",
      "timestamptz",
      "timestamptz",
      "timestamptz",
      "timestamptz",
      "timestamptz",
      "timestamptz",
      "text",
      "text",
      "text",
      "text",
      "text",
      "text",
      "text",
      "text",
      "text",
      "text",
      "text",
      "text",
      "text",
      "text",
      "float8",
      "boolean",
      "smallint",
      "bigint",
      "timestamptz",
      "timestamptz");

  /** The array of a written column is named as the column. */
  public static final Columns<Written> WRITTEN = new Columns<Written>()
      .texts("queue", each -> each.row().job().queueName())
      .texts("id", each -> each.row().job().id())
      .texts("name", each -> each.row().job().name())
      .texts("state", each -> each.row().job().state().value())
      .integers("attempts_made", each -> each.row().job().attemptsMade())
      .integers("started_attempts", each -> each.row().job().startedAttempts())
      .integers("stalls", each -> each.row().job().stalls())
      .doubles("progress", each -> each.row().job().progress())
      .integers("pending_children", each -> each.row().job().pendingChildrenCount())
      .flags("discarded", each -> each.row().job().discarded())
      .flags("counted", each -> each.row().counted())
      .times("created_at", each -> each.row().job().createdAt())
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
      .texts("deduplication_slot", each -> each.row().slot())
      .texts("schedule_key", each -> each.row().job().scheduleKey())
      .texts("children", each -> children(each.row().job()))
      .texts("dead_letter", each -> each.json().deadLetter(each.row().job().deadLetter()))
      .texts("options", each -> each.json().options(each.row().job().options()))
      .texts("data", each -> each.row().job().data().text())
      .texts("returnvalue", each -> textOrNull(each.row().job().returnvalue()))
      .texts("failed_reason", each -> each.row().job().failedReason())
      .doubles("priority", each -> each.row().job().options().effectivePriority())
      .flags("repeats", each -> each.row().job().options().repeat() != null)
      .shorts("removal", each -> StoredJob.removal(each.row().job().options()))
      .longs("keep_millis", each -> StoredJob.keepMillis(each.row().job().options()))
      .times("remove_at", each -> StoredJob.removeAt(each.row().job()))
      .times(
          "deduplication_until", each -> StoredJob.deduplicationUntil(each.row().job()));

  private final JobTexts json;

  public JobRows(JobTexts json) {
    this.json = json;
  }

  /** What statements may name in braces. */
  static Map<String, String> fragments() {
    List<String> written = new ArrayList<>(READ);
    written.addAll(DERIVED);
    return Map.ofEntries(
        Map.entry("columns", String.join(", ", READ)),
        Map.entry("j_columns", prefixed("j.", READ)),
        Map.entry("u_columns", prefixed("u.", READ)),
        Map.entry("r_columns", prefixed("r.", READ)),
        Map.entry("written", String.join(", ", written)),
        Map.entry("g_written", prefixed("g.", written)),
        Map.entry("arrays", arrays(written)));
  }

  private static String prefixed(String prefix, List<String> names) {
    return names.stream().map(name -> prefix + name).collect(Collectors.joining(", "));
  }

  private static String arrays(List<String> written) {
    return IntStream.range(0, TYPES.size())
        .mapToObj(index -> ":" + written.get(index) + "::" + TYPES.get(index) + "[]")
        .collect(Collectors.joining(", "));
  }

  /** What is written of jobs. */
  public List<Written> written(List<StoredJob> jobs) {
    return jobs.stream().map(job -> new Written(job, json)).toList();
  }

  private static @Nullable String children(JobData job) {
    return job.childrenIds().isEmpty() ? null : new JsonArray(job.childrenIds()).encode();
  }

  private static @Nullable String textOrNull(@Nullable Json value) {
    return value == null ? null : value.text();
  }

  public List<StoredJob> stored(RowSet<Row> rows) {
    List<StoredJob> jobs = new ArrayList<>(rows.size());
    for (Row row : rows) {
      jobs.add(stored(row));
    }
    return jobs;
  }

  public List<JobData> jobs(RowSet<Row> rows) {
    List<JobData> jobs = new ArrayList<>(rows.size());
    for (Row row : rows) {
      jobs.add(stored(row).job());
    }
    return jobs;
  }

  /** A row that begins with the place and goes on with the columns that are read. */
  public StoredJob stored(Row row) {
    Cells cells = new Cells(row);
    long place = Objects.requireNonNull(row.getLong(0));
    String queue = cells.text();
    String id = cells.text();
    String name = cells.text();
    JobState state = state(cells.text());
    int attemptsMade = cells.count();
    int startedAttempts = cells.count();
    int stalls = cells.count();
    double progress = Objects.requireNonNull(row.getDouble(cells.next()));
    int pendingChildren = cells.count();
    boolean discarded = cells.flag();
    boolean counted = cells.flag();
    Instant createdAt = Objects.requireNonNull(cells.timeOrNull());
    Instant processedAt = cells.timeOrNull();
    Instant completedAt = cells.timeOrNull();
    Instant failedAt = cells.timeOrNull();
    Instant delayUntil = cells.timeOrNull();
    Instant cancelledAt = cells.timeOrNull();
    Instant lockUntil = cells.timeOrNull();
    String lockedBy = cells.textOrNull();
    String lockToken = cells.textOrNull();
    String groupId = cells.textOrNull();
    String parentQueue = cells.textOrNull();
    String parentId = cells.textOrNull();
    String key = cells.textOrNull();
    String slot = cells.textOrNull();
    String scheduleKey = cells.textOrNull();
    String children = cells.textOrNull();
    String deadLetter = cells.textOrNull();
    String options = cells.text();
    String data = cells.text();
    String returnvalue = cells.textOrNull();
    String failedReason = cells.textOrNull();
    JobData job = new JobData(
        id,
        queue,
        name,
        Json.ofChecked(data),
        state,
        json.options(options),
        attemptsMade,
        startedAttempts,
        stalls,
        progress,
        returnvalue == null ? null : Json.ofChecked(returnvalue),
        failedReason,
        key,
        List.of(),
        List.of(),
        List.of(),
        createdAt,
        processedAt,
        completedAt,
        failedAt,
        delayUntil,
        cancelledAt,
        lockUntil,
        lockedBy,
        lockToken,
        parentId,
        parentQueue,
        pendingChildren,
        children == null
            ? List.of()
            : new JsonArray(children).stream().map(String.class::cast).toList(),
        groupId,
        discarded,
        scheduleKey,
        json.deadLetterOrNull(deadLetter));
    return new StoredJob(job, place, counted, slot);
  }

  /** How many columns a job's row has before others may follow. */
  public static int width() {
    return 1 + READ.size();
  }

  public static JobState state(String value) {
    return JobState.ofValue(value)
        .orElseThrow(() -> RunlaneException.invariantViolation("unknown job state %s", value));
  }

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
