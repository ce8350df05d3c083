package dev.runlane.cli.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.run.Json;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended.
 *
 * @param status completed, failed or cancelled
 * @param reason the terminal reason; null for a run that completed
 * @param records what the sink took, by stream
 * @param terminal the data of the terminal event
 * @param cursors what the next run goes on from, by stream
 */
public record RunSummary(
    Status status,
    @Nullable String reason,
    Map<String, RecordCount> records,
    Json terminal,
    Map<String, Json> cursors) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** How runs end. */
  public enum Status {
    /** As they should. */
    COMPLETED(ExitCode.COMPLETED),
    /** Otherwise. */
    FAILED(ExitCode.FAILED),
    /** By the owner's wish. */
    CANCELLED(ExitCode.INTERRUPTED),
    /** By the connector's own wish: a failure that says cancelled. */
    GIVEN_UP(ExitCode.CANCELLED);

    private final ExitCode exitCode;

    Status(ExitCode exitCode) {
      this.exitCode = exitCode;
    }

    public ExitCode exitCode() {
      return exitCode;
    }

    /** How a person says it. */
    String sentence() {
      return switch (this) {
        case COMPLETED -> "The run completed";
        case FAILED -> "The run failed";
        case CANCELLED -> "The run was cancelled";
        case GIVEN_UP -> "The connector gave up";
      };
    }

    /** As the run's handle says it. */
    String word() {
      return this == COMPLETED ? "completed" : this == FAILED ? "failed" : "cancelled";
    }
  }

  public RunSummary {
    records = new TreeMap<>(records);
    cursors = new TreeMap<>(cursors);
  }

  public static RunSummary of(
      TimelineEvent terminal, Map<String, RecordCount> records, Map<String, Json> cursors) {
    return new RunSummary(
        status(terminal), reason(terminal.data()), records, terminal.data(), cursors);
  }

  private static Status status(TimelineEvent terminal) {
    return switch (terminal.type()) {
      case COMPLETED -> Status.COMPLETED;
      case CANCELLED -> Status.CANCELLED;
      default -> terminal.status().equals("cancelled") ? Status.GIVEN_UP : Status.FAILED;
    };
  }

  private static @Nullable String reason(Json terminal) {
    try {
      return JSON.readTree(terminal.text()).path("reason").textValue();
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("an event's data is JSON", impossible);
    }
  }
}
