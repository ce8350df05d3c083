package dev.runlane.client.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.client.http.ApiJson;
import dev.runlane.json.record.RunEventJson;
import dev.runlane.json.record.RunRecordJson;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs and what belongs to them. */
public final class RunReader {
  /** What stands for the token of a lease, which the API tells nobody = {@value}. */
  private static final String HIDDEN = "hidden";

  /** What stands in place of what the server hides from the token's role = {@value}. */
  private static final String MASKED = "[masked]";

  private static final List<String> OBJECTS =
      List.of("failure", "traceCarrier", "awaiting", "tags");

  private RunReader() {}

  /** A run. */
  public static RunRecord run(JsonNode run) {
    return readable(() -> RunRecordJson.read(ApiJson.text(complete(run))));
  }

  /** A stored event. */
  public static RunEventRecord event(JsonNode event) {
    return readable(() -> RunEventJson.readRecord(ApiJson.text(complete(event))));
  }

  /** Tags of a run that is answered with them. */
  public static Map<String, String> tags(JsonNode run) {
    return new Fields("a run", run).textsByName("tags");
  }

  /** A row of a list: read as a run, with something in place of what a list leaves out. */
  public static RunSummary summary(Fields row) {
    if (!(row.node() instanceof ObjectNode node)) {
      throw RunlaneException.of(
          ErrorCode.ADAPTER_CONTRACT_VIOLATION, "%s is no object", row.what());
    }
    ObjectNode whole = node.deepCopy();
    whole.putObject("environment").put("name", HIDDEN);
    whole.putObject("source").put("type", RunSource.TRIGGER.type().value());
    whole.putNull("payload");
    String workerId = row.textOrNull("workerId");
    if (workerId != null) {
      whole
          .putObject("lease")
          .put("workerId", workerId)
          .put("expiresAt", row.instant("updatedAt").toString());
    }
    return RunSummary.of(run(whole));
  }

  /** What a trigger came to. */
  public static TriggerResult triggered(JsonNode result) {
    Fields fields = new Fields("the result", result);
    return new TriggerResult(
        run(result.path("run")),
        fields.known("outcome", value -> Arrays.stream(TriggerOutcome.values())
            .filter(each -> each.value().equals(value))
            .findFirst()),
        fields.flag("samePayload"));
  }

  /** An attempt. */
  public static RunAttempt attempt(Fields attempt) {
    return new RunAttempt(
        attempt.count("attempt"),
        attempt.textOrNull("workerId"),
        attempt.instant("startedAt"),
        attempt.instantOrNull("endedAt"),
        attempt.known("outcome", value -> Arrays.stream(RunAttempt.Outcome.values())
            .filter(each -> each.name().equalsIgnoreCase(value))
            .findFirst()),
        failureOrNull(attempt));
  }

  /** Why a run is where it is. Reasons of a kind that only a later release knows are left out. */
  public static RunExplanation explanation(JsonNode explanation) {
    List<RunExplanation.Reason> reasons = new Fields("the explanation", explanation)
        .rows("reasons", RunReader::reason).stream().flatMap(Optional::stream).toList();
    return new RunExplanation(run(explanation.path("run")), reasons);
  }

  private static Optional<RunExplanation.Reason> reason(Fields reason) {
    String code = reason.text("code");
    return Stream.of(RunExplanation.Code.values())
        .filter(each -> each.value().equals(code))
        .findFirst()
        .map(known ->
            new RunExplanation.Reason(known, reason.text("text"), reason.textsByName("details")));
  }

  static @Nullable FailureRecord failureOrNull(Fields of) {
    return unmasked(of.node().path("failure")) instanceof ObjectNode failure
        ? readable(() -> RunRecordJson.readFailure(ApiJson.text(failure)))
        : null;
  }

  /** With what the contracts' readers need: a token of the lease, and objects where masks stand for them. */
  private static JsonNode complete(JsonNode resource) {
    if (!(resource instanceof ObjectNode object)) {
      return resource;
    }
    ObjectNode complete = object.deepCopy();
    if (complete.path("lease") instanceof ObjectNode lease && !lease.has("token")) {
      lease.put("token", HIDDEN);
    }
    if (complete.has("failure")) {
      complete.set("failure", unmasked(complete.path("failure")));
    }
    OBJECTS.stream()
        .filter(name -> complete.has(name) && !complete.path(name).isObject())
        .forEach(complete::remove);
    return complete;
  }

  /** A failure stays one where it, its code or whether it is retryable is masked: without it a step went well. */
  private static JsonNode unmasked(JsonNode failure) {
    if (isMasked(failure)) {
      return JsonNodeFactory.instance
          .objectNode()
          .put("code", ErrorCode.INTERNAL_ERROR.value())
          .put("message", MASKED)
          .put("retryable", false);
    }
    if (!(failure instanceof ObjectNode object)) {
      return failure;
    }
    ObjectNode unmasked = object.deepCopy();
    if (isMasked(unmasked.path("code"))) {
      unmasked.put("code", ErrorCode.INTERNAL_ERROR.value());
    }
    if (isMasked(unmasked.path("retryable"))) {
      unmasked.put("retryable", false);
    }
    return unmasked;
  }

  private static boolean isMasked(JsonNode value) {
    return MASKED.equals(value.textValue());
  }

  private static <T> T readable(Supplier<T> reading) {
    try {
      return Objects.requireNonNull(reading.get());
    } catch (RunlaneException unreadable) {
      throw RunlaneException.of(
              ErrorCode.ADAPTER_CONTRACT_VIOLATION,
              "this release cannot read the answer (%s): the server is of another one",
              String.valueOf(unreadable.getMessage()))
          .causedBy(unreadable);
    }
  }
}
