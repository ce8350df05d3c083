package dev.runlane.jobs.postgres;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
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
final class JobRows {
  /** Read in this order; queue and id come first, which {@code write_jobs} relies on. */
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

  private final JobTexts json;

  JobRows(JobTexts json) {
    this.json = json;
  }

  /** What statements may name. */
  static Map<String, String> names() {
    List<String> written = new ArrayList<>(READ);
    written.addAll(DERIVED);
    return Map.ofEntries(
        Map.entry("columns", String.join(", ", READ)),
        Map.entry("j_columns", prefixed("j.", READ)),
        Map.entry("u_columns", prefixed("u.", READ)),
        Map.entry("r_columns", prefixed("r.", READ)),
        Map.entry("written", String.join(", ", written)),
        Map.entry("g_written", prefixed("g.", written)),
        Map.entry("arrays", arrays()),
        Map.entry("direction", String.valueOf(TYPES.size() + 1)));
  }

  private static String prefixed(String prefix, List<String> names) {
    return names.stream().map(name -> prefix + name).collect(Collectors.joining(", "));
  }

  private static String arrays() {
    return IntStream.range(0, TYPES.size())
        .mapToObj(index -> "$" + (index + 1) + "::" + TYPES.get(index) + "[]")
        .collect(Collectors.joining(", "));
  }

  /** One array for each written column. */
  Tuple arrays(List<StoredJob> jobs) {
    ArrayTuple<StoredJob> arrays = ArrayTuple.of(jobs);
    arrays
        .texts(each -> each.job().queueName())
        .texts(each -> each.job().id())
        .texts(each -> each.job().name())
        .texts(each -> each.job().state().value())
        .integers(each -> each.job().attemptsMade())
        .integers(each -> each.job().startedAttempts())
        .integers(each -> each.job().stalls())
        .doubles(each -> each.job().progress())
        .integers(each -> each.job().pendingChildrenCount())
        .flags(each -> each.job().discarded())
        .flags(StoredJob::counted)
        .times(each -> each.job().createdAt())
        .times(each -> each.job().processedAt())
        .times(each -> each.job().completedAt())
        .times(each -> each.job().failedAt())
        .times(each -> each.job().delayUntil())
        .times(each -> each.job().cancelledAt())
        .times(each -> each.job().lockUntil())
        .texts(each -> each.job().lockedBy())
        .texts(each -> each.job().lockToken())
        .texts(each -> each.job().groupId())
        .texts(each -> each.job().parentQueueName())
        .texts(each -> each.job().parentId())
        .texts(each -> each.job().deduplicationKey())
        .texts(StoredJob::slot)
        .texts(each -> each.job().scheduleKey())
        .texts(each -> children(each.job()))
        .texts(each -> json.deadLetter(each.job().deadLetter()))
        .texts(each -> json.options(each.job().options()))
        .texts(each -> each.job().data().text())
        .texts(each -> textOrNull(each.job().returnvalue()))
        .texts(each -> each.job().failedReason())
        .doubles(each -> each.job().options().effectivePriority())
        .flags(each -> each.job().options().repeat() != null)
        .shorts(each -> StoredJob.removal(each.job().options()))
        .longs(each -> StoredJob.keepMillis(each.job().options()))
        .times(each -> StoredJob.removeAt(each.job()))
        .times(each -> StoredJob.deduplicationUntil(each.job()));
    return arrays.parameters();
  }

  private static @Nullable String children(JobData job) {
    return job.childrenIds().isEmpty() ? null : new JsonArray(job.childrenIds()).encode();
  }

  private static @Nullable String textOrNull(@Nullable Json value) {
    return value == null ? null : value.text();
  }

  List<StoredJob> stored(RowSet<Row> rows) {
    List<StoredJob> jobs = new ArrayList<>(rows.size());
    for (Row row : rows) {
      jobs.add(stored(row));
    }
    return jobs;
  }

  List<JobData> jobs(RowSet<Row> rows) {
    List<JobData> jobs = new ArrayList<>(rows.size());
    for (Row row : rows) {
      jobs.add(stored(row).job());
    }
    return jobs;
  }

  /** A row that begins with the place and goes on with the columns that are read. */
  StoredJob stored(Row row) {
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
  static int width() {
    return 1 + READ.size();
  }

  static JobState state(String value) {
    return JobState.ofValue(value)
        .orElseThrow(() -> RunlaneException.invariantViolation("unknown job state %s", value));
  }

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
