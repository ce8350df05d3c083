package dev.runlane.testing.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.json.JsonCodec;
import dev.runlane.json.record.RunEventJson;
import dev.runlane.json.record.RunRecordJson;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.RunEventRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The whole history of one run, from its creation on. Immutable.
 *
 * @param records the events in their order, at least one
 */
public record RunHistory(List<RunEventRecord> records) {
  private static final String HIDDEN_TOKEN = "hidden";

  /** Copies the events. Throws {@code ValidationFailed} where there is none. */
  public RunHistory {
    records = List.copyOf(records);
    if (records.isEmpty()) {
      throw RunlaneException.validationFailed("a history has at least one event, but has none");
    }
  }

  /** Reads a file that holds what {@link #parse} takes. */
  public static RunHistory read(Path file) {
    try {
      return parse(Files.readString(file));
    } catch (IOException failure) {
      throw new UncheckedIOException("the history " + file + " cannot be read", failure);
    }
  }

  /**
   * Reads a history as the console and the operator API export it, {@code {"run": …, "events": […]}}, as {@link
   * #toJson} writes it, or the array of events alone. All of it must be there, in order; tokens of leases, which no
   * export holds, need not. Throws {@code ValidationFailed} for anything else, {@code InvariantViolation} for an event
   * that cannot be read.
   */
  public static RunHistory parse(String json) {
    JsonNode tree = JsonCodec.standard().tree("a history", Json.ofChecked(json));
    JsonNode events = tree.isArray() ? tree : tree.path("events");
    if (!events.isArray()) {
      throw RunlaneException.validationFailed(
          "a history is an object with an array 'events', or that array");
    }
    List<RunEventRecord> records = new ArrayList<>();
    for (JsonNode event : events) {
      if (event.path("lease") instanceof ObjectNode lease && !lease.has("token")) {
        lease.put("token", HIDDEN_TOKEN);
      }
      RunEventRecord record = RunEventJson.readRecord(Json.ofChecked(event.toString()));
      if (record.sequence() != records.size() + 1) {
        throw RunlaneException.validationFailed(
            "event %d of a history must have sequence %d, but has %d: all of it is needed, in order",
            records.size() + 1, records.size() + 1, record.sequence());
      }
      records.add(record);
    }
    return new RunHistory(records);
  }

  /** The id of the run. */
  public String runId() {
    return records.get(0).event().header().runId();
  }

  /** The events without their ids and places. */
  public List<RunEvent> events() {
    return records.stream().map(RunEventRecord::event).toList();
  }

  /** The events of one type, such as {@link RunEvent.StepRequested}, in order. */
  public <E extends RunEvent> List<E> events(Class<E> type) {
    return records.stream()
        .map(RunEventRecord::event)
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }

  /** The names of the types of the events without heartbeats, such as {@code run.started}. */
  public List<String> types() {
    return events().stream()
        .filter(event -> !(event instanceof RunEvent.LeaseHeartbeat))
        .map(event -> event.type().value())
        .toList();
  }

  /** What the reducer makes of it: the run as it is after its last event. */
  public RunRecord run() {
    return RunReducer.projectRunEvents(null, 0, events());
  }

  /** The names of the steps that have a result which counts, in the order of their positions; sleeps are left out. */
  public List<String> completedSteps() {
    Map<String, String> names = new LinkedHashMap<>();
    for (RunEvent.StepRequested request : events(RunEvent.StepRequested.class)) {
      if (request.dueAt() == null) {
        names.putIfAbsent(request.stepId(), request.name());
      }
    }
    Collection<String> completed = events(RunEvent.StepCompleted.class).stream()
        .filter(step -> !step.isFailed())
        .map(RunEvent.StepCompleted::stepId)
        .collect(Collectors.toSet());
    names.keySet().retainAll(completed);
    return List.copyOf(names.values());
  }

  /** How long the run waited after the end of each attempt but the last; a lost one ended with its lease. */
  public List<Duration> pauses() {
    return Pauses.of(this);
  }

  /** For people: a line for each event, with the time since the run was created. */
  public String timeline() {
    return Timeline.of(this);
  }

  /** As the operator API exports it, with the tokens of leases, which {@link #parse} reads back. */
  public String toJson() {
    return records.stream()
        .map(record -> RunEventJson.write(record).text())
        .collect(Collectors.joining(
            ",\n", "{\"run\":" + RunRecordJson.write(run()).text() + ",\"events\":[", "]}"));
  }

  @Override
  public String toString() {
    return timeline();
  }
}
