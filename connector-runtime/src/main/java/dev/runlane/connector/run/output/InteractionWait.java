package dev.runlane.connector.run.output;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.message.InteractionKind;
import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.run.request.BrowserSurface;
import dev.runlane.connector.run.state.RunData;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.connector.run.state.TimelineWriter;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One question while it waits for its answer: recorded in the timeline, limited in time, and given up when the
 * browser it needs goes away. It ends once, by {@link #end} or {@link #drop}. Belongs to the run's context.
 */
final class InteractionWait {
  private static final String PROBE_TIMEOUT = "browser_surface_probe_timeout";
  private static final String UNREACHABLE = "browser_surface_cdp_unreachable";

  private final RunParts parts;
  private final TimelineWriter timelineWriter;
  private final InteractionMessage question;
  private final Ended onEnd;

  /** What the owner knows it by: its request id, without secrets that stand in it. */
  private final String id;

  private boolean over;
  private Timers.@Nullable Timer limit;
  private Timers.@Nullable Timer nextProbe;

  /** Told once, unless the wait is dropped. */
  interface Ended {
    /** The question ended. {@code answer} is null but for success with data. */
    void ended(InteractionMessage question, InteractionStatus status, @Nullable Json answer);
  }

  InteractionWait(
      RunParts parts, TimelineWriter timelineWriter, InteractionMessage question, Ended onEnd) {
    this.parts = parts;
    this.timelineWriter = timelineWriter;
    this.question = question;
    this.onEnd = onEnd;
    this.id = parts.request().redaction().name(question.requestId());
  }

  /** Appends that the question is asked, and begins to wait. */
  void begin() {
    appendRequired();
    if (question.timeout() != null) {
      limit =
          parts.timers().schedule(question.timeout(), () -> end(InteractionStatus.TIMEOUT, null));
    }
    if (needsSurface()) {
      probeLater();
    }
  }

  InteractionMessage question() {
    return question;
  }

  /** Whether an answer to {@code interactionId} is for this question. */
  boolean isAbout(String interactionId) {
    return interactionId.equals(id) || interactionId.equals(question.requestId());
  }

  /** Ends the question, unless it has ended. What was submitted is known as secret before anything is recorded. */
  void end(InteractionStatus status, @Nullable Json answer) {
    if (over) {
      return;
    }
    if (answer != null) {
      parts.request().redaction().addAnswer(answer); // before anything can be said about it
    }
    drop();
    appendCompleted(status);
    onEnd.ended(question, status, answer);
  }

  /** Gives the question up without telling anybody. */
  void drop() {
    over = true;
    if (limit != null) {
      limit.cancel();
    }
    if (nextProbe != null) {
      nextProbe.cancel();
    }
  }

  private boolean needsSurface() {
    return parts.request().surface() != null && question.kind() != InteractionKind.CREDENTIALS;
  }

  private boolean isByHand() {
    return question.kind() == InteractionKind.MANUAL_ACTION;
  }

  private void probeLater() {
    nextProbe = parts.timers().schedule(parts.options().getSurfacePoll(), this::probe);
  }

  private void probe() {
    BrowserSurface surface = parts.request().surface();
    if (over || surface == null) {
      return;
    }
    Future<BrowserSurface.Probe> found = Future.<Void>succeededFuture()
        .compose(start -> surface.probe()) // inside compose, a probe that throws is one that failed
        .otherwise(failure -> new BrowserSurface.Probe(UNREACHABLE, null));
    Future.any(found, parts.timers().after(parts.options().getSurfaceProbeTimeout()))
        .onComplete(either -> probed(
            found.isComplete() ? found.result() : new BrowserSurface.Probe(PROBE_TIMEOUT, null)));
  }

  private void probed(BrowserSurface.Probe probe) {
    if (over) {
      return;
    }
    if (probe.code() == null) {
      probeLater();
      return;
    }
    appendLost(probe.code(), probe.detail());
    end(InteractionStatus.CANCELLED, null);
  }

  private void appendRequired() {
    ObjectNode data = RunData.ofSource(parts.request());
    putQuestion(data);
    data.put("message", message());
    RunData.putSchema(data, question.schema(), parts.request().redaction());
    putTimeout(data);
    append(TimelineEventType.INTERACTION_REQUIRED, "started", data);

    ObjectNode assistance = RunData.ofSource(parts.request());
    assistance.put("assistance_request_id", id);
    assistance.put("progress_posture", "blocked");
    assistance.put("owner_action", isByHand() ? "operate_attachment" : "provide_value");
    assistance.put("response_contract", "response_required");
    assistance.put("sensitivity", isByHand() ? "non_secret" : "secret");
    assistance.put("message", message());
    putQuestion(assistance);
    putTimeout(assistance);
    append(TimelineEventType.ASSISTANCE_REQUESTED, "started", assistance);
  }

  private void appendCompleted(InteractionStatus status) {
    ObjectNode data = RunData.ofSource(parts.request());
    data.put("status", status.value());
    putQuestion(data);
    append(TimelineEventType.INTERACTION_COMPLETED, status.value(), data);

    ObjectNode assistance = data.deepCopy();
    assistance.put("assistance_request_id", id);
    append(
        switch (status) {
          case SUCCESS -> TimelineEventType.ASSISTANCE_RESOLVED;
          case CANCELLED -> TimelineEventType.ASSISTANCE_CANCELLED;
          case TIMEOUT -> TimelineEventType.ASSISTANCE_TIMED_OUT;
        },
        status.value(),
        assistance);
  }

  private void appendLost(String code, @Nullable String detail) {
    ObjectNode data = RunData.ofSource(parts.request());
    data.put("interaction_id", id);
    data.put("kind", question.kind().value());
    ObjectNode probe = data.putObject("browser_surface_probe");
    probe.put("ok", false);
    probe.put("code", code);
    RunData.put(
        probe,
        "detail",
        detail == null ? null : parts.request().redaction().output(detail, RunData.MAX_FAILURE));
    append(TimelineEventType.BROWSER_SURFACE_LOST, "surface_failed", data);
  }

  private void putQuestion(ObjectNode data) {
    data.put("interaction_id", id);
    data.put("kind", question.kind().value());
    data.put("stream", question.stream());
  }

  private void putTimeout(ObjectNode data) {
    Duration timeout = question.timeout();
    if (timeout == null) {
      return;
    }
    if (timeout.toMillis() % 1000 == 0) {
      data.put("timeout_seconds", timeout.toSeconds());
    } else {
      data.put("timeout_seconds", timeout.toMillis() / 1000.0);
    }
  }

  private String message() {
    return parts.request().redaction().name(question.message(), RunData.MAX_MESSAGE);
  }

  private void append(TimelineEventType type, String status, ObjectNode data) {
    TimelineEvent event = timelineWriter.event(type, status, data);
    timelineWriter.append(event.onStream(question.stream()).onInteraction(id));
  }
}
