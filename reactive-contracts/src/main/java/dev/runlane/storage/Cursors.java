package dev.runlane.storage;

import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.run.PruneRuns;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opaque cursors that remember which list they belong to. A cursor carries a hash of its request's scope,
 * filter and sort beside the position; with any other request it fails with {@code ValidationFailed}
 * instead of silently continuing something else. Not signed: a forged position reads nothing that its
 * forger could not list anyway.
 */
public final class Cursors {
  private static final int MOST_CHARACTERS = 2_048;
  private static final char SEPARATOR =
      '\0'; // the one character that no id, key, number or instant contains

  private final Supplier<List<String>> request;

  private Cursors(Supplier<List<String>> request) {
    this.request = request;
  }

  /** Cursors of this list of runs. */
  public static Cursors of(ListRuns query) {
    return new Cursors(() -> partsOf(query));
  }

  private static List<String> partsOf(ListRuns query) {
    RunFilter filter = query.filter();
    return List.of(
        "runs.1",
        query.environment().environmentKey(),
        sorted(filter.statuses().stream().map(RunStatus::value).toList()),
        sorted(filter.taskIds()),
        sorted(filter.queues()),
        optional(filter.concurrencyKey()),
        optional(filter.idempotencyKey()),
        optional(filter.singletonKey()),
        optional(filter.createdFrom()),
        optional(filter.createdBefore()),
        query.sort().field().value(),
        query.sort().direction().value());
  }

  /** Cursors of this list of runs by tags. */
  public static Cursors of(ListTaggedRuns query) {
    return new Cursors(() -> partsOf(query));
  }

  private static List<String> partsOf(ListTaggedRuns query) {
    List<String> parts = new ArrayList<>(List.of("tagged.1"));
    query.tags().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(tag -> parts.add(tag.getKey() + ":" + tag.getValue()));
    RunSort sort = new RunSort(RunSort.Field.CREATED_AT, query.direction());
    parts.addAll(partsOf(new ListRuns(query.environment(), query.filter(), sort, null, null)));
    return parts;
  }

  /** Cursors of this list of events. */
  public static Cursors of(ListRunEvents query) {
    RunEventFilter filter = query.filter();
    return new Cursors(() -> List.of(
        "events.1",
        query.environment().environmentKey(),
        optional(filter.runId()),
        sorted(filter.types().stream().map(RunEventType::value).toList()),
        optional(filter.occurredFrom()),
        optional(filter.occurredBefore()),
        query.sort().field().value(),
        query.sort().direction().value()));
  }

  /** Cursors of this prune: statuses and cutoff are part of them. */
  public static Cursors of(PruneRuns command) {
    return new Cursors(() -> List.of(
        "prune.1",
        command.environment().environmentKey(),
        sorted(command.statuses().stream().map(RunStatus::value).toList()),
        command.olderThan().toString()));
  }

  /** Cursors of this list of processes. */
  public static Cursors of(ListProcesses query) {
    return new Cursors(() -> List.of("processes.1", query.environment().environmentKey()));
  }

  /** Cursors of this list of tasks. */
  public static Cursors of(ListTasks query) {
    return new Cursors(() -> List.of(
        "tasks.1",
        query.environment().environmentKey(),
        query.taskId() == null ? "" : query.taskId()));
  }

  /** Cursors of this list of schedules. */
  public static Cursors of(ListSchedules query) {
    return new Cursors(() -> List.of("schedules.1", query.environment().environmentKey()));
  }

  /** Cursors of this list of steps. */
  public static Cursors of(ListSteps query) {
    return new Cursors(() -> List.of(
        "steps.1",
        query.environment().environmentKey(),
        query.runId() == null ? "" : query.runId(),
        query.group() == null ? "" : query.group()));
  }

  /** Cursors of this list of outbox messages. */
  public static Cursors of(ListOutbox query) {
    return new Cursors(() ->
        List.of("outbox.1", query.environment().environmentKey(), query.status().value()));
  }

  /** Cursors of this list of actions. */
  public static Cursors of(ListActions query) {
    ActionFilter filter = query.filter();
    return new Cursors(() -> List.of(
        "actions.2",
        query.environment().environmentKey(),
        optional(filter.actor()),
        optional(filter.action()),
        optional(filter.target()),
        optional(filter.from()),
        optional(filter.until())));
  }

  /** Cursors of this list of documents. */
  public static Cursors of(ListDocuments query) {
    return new Cursors(
        () -> List.of("documents.1", query.environment().environmentKey(), query.kind()));
  }

  /** Cursors of this list of alerts. */
  public static Cursors of(ListAlerts query) {
    return new Cursors(() -> List.of(
        "alerts.1",
        query.environment().environmentKey(),
        query.ruleId() == null ? "" : query.ruleId(),
        String.valueOf(query.isOpen())));
  }

  /** Cursors of this list of minutes. */
  public static Cursors of(ListThroughput query) {
    return new Cursors(() -> List.of(
        "throughput.1",
        query.environment().environmentKey(),
        query.from().toString(),
        query.until().toString(),
        query.queue() == null ? "" : query.queue(),
        query.taskId() == null ? "" : query.taskId()));
  }

  /** Cursors of this list of lines. */
  public static Cursors of(ListLogLines query) {
    return new Cursors(
        () -> List.of("lines.1", query.environment().environmentKey(), query.runId()));
  }

  /** A cursor at a position; the parts must not contain NUL, as no id, key, number or instant does. */
  public String encode(String... position) {
    String text = fingerprint() + SEPARATOR + String.join(String.valueOf(SEPARATOR), position);
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The position in a cursor, or empty for null. Throws {@code ValidationFailed} when the cursor is
   * malformed, belongs to another request or does not hold {@code parts} parts.
   */
  public Optional<List<String>> decode(@Nullable String cursor, int parts) {
    if (cursor == null) {
      return Optional.empty();
    }
    List<String> found = split(cursor);
    if (found.size() != parts + 1 || !found.get(0).equals(fingerprint())) {
      throw RunlaneException.validationFailed("the cursor does not belong to this filter and sort");
    }
    return Optional.of(found.subList(1, found.size()));
  }

  /** An instant from a position. Throws {@code ValidationFailed} when it is none that can be stored. */
  public static Instant instant(String part) {
    try {
      Instant instant = Instant.parse(part);
      InputRules.requireInstant("the instant of the cursor", instant);
      return instant;
    } catch (DateTimeException malformed) {
      throw malformed().causedBy(malformed);
    }
  }

  /** A whole number from a position. Throws {@code ValidationFailed} when it is none. */
  public static long number(String part) {
    try {
      return Long.parseLong(part);
    } catch (NumberFormatException malformed) {
      throw malformed().causedBy(malformed);
    }
  }

  private static List<String> split(String cursor) {
    if (cursor.length() > MOST_CHARACTERS) {
      throw malformed();
    }
    try {
      String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      return List.of(text.split(String.valueOf(SEPARATOR), -1));
    } catch (IllegalArgumentException malformed) {
      throw malformed().causedBy(malformed);
    }
  }

  private static RunlaneException malformed() {
    return RunlaneException.validationFailed("the cursor is malformed");
  }

  /** Made only where a cursor is read or written: most pages have neither one before nor one after them. */
  private String fingerprint() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String part : request.get()) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
        digest.update(bytes);
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 12);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  private static String sorted(Collection<String> values) {
    List<String> lengths = new ArrayList<>();
    for (String value : new TreeSet<>(values)) {
      lengths.add(value.length() + ":" + value);
    }
    return String.join(",", lengths);
  }

  private static String optional(@Nullable Object value) {
    return value == null ? "-" : "=" + value;
  }
}
