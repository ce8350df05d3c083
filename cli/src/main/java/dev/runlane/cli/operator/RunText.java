package dev.runlane.cli.operator;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/** Runs, events and attempts, for people. */
final class RunText {
  /** What stands in columns of its own, in every event, or may be large. */
  private static final Set<String> SHOWN_ELSEWHERE = Set.of(
      "id",
      "sequence",
      "type",
      "environment",
      "runId",
      "actor",
      "occurredAt",
      "traceCarrier",
      "payload",
      "input",
      "output");

  private RunText() {}

  static Table list(List<RunSummary> runs, Instant now) {
    Table table = new Table(
        Column.whole("RUN"),
        Column.shrinking("TASK"),
        Column.shrinking("QUEUE").spare(2),
        Column.whole("STATUS"),
        Column.number("TRIES").spare(1),
        Column.number("AGE").spare(4),
        Column.shrinking("NOTE").spare(3));
    runs.forEach(run -> table.add(
        Cell.of(run.id()),
        Cell.of(run.taskId()),
        Cell.of(run.queue()),
        status(run.status()),
        Cell.of(run.counters().attempts()),
        Cell.of(PlainText.age(run.createdAt(), now)),
        new Cell(note(run, now), Style.DIM)));
    return table;
  }

  static Cell status(RunStatus status) {
    return new Cell(status.value(), style(status));
  }

  private static Style style(RunStatus status) {
    return switch (status) {
      case SUCCEEDED -> Style.GOOD;
      case FAILED -> Style.BAD;
      case RUNNING -> Style.BUSY;
      case RETRYING, CANCELLATION_REQUESTED -> Style.WARNING;
      case CANCELLED -> Style.DIM;
      case QUEUED, SCHEDULED, RELEASED -> Style.PLAIN;
    };
  }

  private static String note(RunSummary run, Instant now) {
    StringJoiner note = new StringJoiner("; ");
    if (run.workerId() != null) {
      note.add("on " + run.workerId());
    }
    if (run.status().isActive() && run.runAt() != null && run.runAt().isAfter(now)) {
      note.add("due " + PlainText.age(run.runAt(), now));
    }
    if (run.failure() != null) {
      note.add(failure(run.failure()));
    }
    return note.toString();
  }

  static String failure(FailureRecord failure) {
    return failure.code() == ErrorCode.TASK_FAILED
        ? failure.message()
        : failure.message() + " (" + failure.code().value() + ")";
  }

  static Table attempts(List<RunAttempt> attempts) {
    Table table = new Table(
        Column.number("ATTEMPT"),
        Column.whole("STARTED"),
        Column.number("TOOK"),
        Column.whole("OUTCOME"),
        Column.shrinking("WORKER"),
        Column.shrinking("FAILURE"));
    attempts.forEach(attempt -> table.add(
        Cell.of(attempt.attempt()),
        Cell.of(PlainText.instant(attempt.startedAt())),
        Cell.of(
            attempt.endedAt() == null
                ? ""
                : PlainText.duration(Duration.between(attempt.startedAt(), attempt.endedAt()))),
        new Cell(attempt.outcome().name().toLowerCase(Locale.ROOT), style(attempt.outcome())),
        Cell.of(attempt.workerId() == null ? "" : attempt.workerId()),
        Cell.of(attempt.failure() == null ? "" : failure(attempt.failure()))));
    return table;
  }

  private static Style style(RunAttempt.Outcome outcome) {
    return switch (outcome) {
      case SUCCEEDED -> Style.GOOD;
      case FAILED, LOST -> Style.BAD;
      case RETRIED -> Style.WARNING;
      case UNDER_WAY -> Style.BUSY;
      case RELEASED, CANCELLED -> Style.PLAIN;
    };
  }

  static Table events(List<RunEventRecord> events) {
    Table table = new Table(
        Column.number("SEQ"),
        Column.whole("TIME"),
        Column.whole("EVENT"),
        Column.shrinking("BY"),
        Column.shrinking("DETAILS"));
    events.forEach(row -> table.add(
        Cell.of(row.sequence()),
        Cell.of(PlainText.instant(row.event().header().occurredAt())),
        event(row.event()),
        Cell.of(actor(row.event().header().actor())),
        new Cell(details(row), Style.DIM)));
    return table;
  }

  static Cell event(RunEvent event) {
    Style style =
        switch (event.type()) {
          case SUCCEEDED -> Style.GOOD;
          case FAILED -> Style.BAD;
          case RETRY_SCHEDULED, CANCELLATION_REQUESTED -> Style.WARNING;
          case STARTED -> Style.BUSY;
          default -> Style.PLAIN;
        };
    return new Cell(event.type().value(), style);
  }

  static String actor(Actor actor) {
    return actor.id() != null
        ? actor.id()
        : actor.type() == Actor.Type.SYSTEM ? "" : actor.type().value();
  }

  /** The fields of the event's own type, as {@code name=value}. */
  static String details(RunEventRecord row) {
    StringJoiner details = new StringJoiner(" ");
    for (Map.Entry<String, JsonNode> field : JsonAnswers.event(row).properties()) {
      if (field.getKey().equals("lease")) {
        details.add("worker=" + value(field.getValue().path("workerId")));
        details.add("until=" + value(field.getValue().path("expiresAt")));
      } else if (field.getKey().equals("failure")) {
        details.add(value(field.getValue().path("code")) + ": "
            + field.getValue().path("message").asText());
      } else if (!SHOWN_ELSEWHERE.contains(field.getKey())) {
        details.add(field.getKey() + "=" + value(field.getValue()));
      }
    }
    return details.toString();
  }

  private static String value(JsonNode value) {
    return value.isTextual() && value.textValue().matches("[^\\s\"]+")
        ? value.textValue()
        : value.toString();
  }
}
