package dev.runlane.connector.run.output;

import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.connector.run.state.TimelineWriter;
import dev.runlane.run.Json;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The question that one run waits with, if any: one at a time. Belongs to the run's context. */
final class RunQuestion {
  /** Each is written to the timeline, none is left out there. */
  private static final int MOST_QUESTIONS = 1_000;

  private final RunParts parts;
  private final TimelineWriter timelineWriter;
  private final InteractionWait.Ended onEnd;

  private final Set<String> used = new HashSet<>(); // what earlier questions can be answered by
  private int asked;
  private @Nullable InteractionWait waiting;

  /**
   * No question.
   *
   * @param onEnd notified of every question that ended, once none waits any more
   */
  RunQuestion(RunParts parts, TimelineWriter timelineWriter, InteractionWait.Ended onEnd) {
    this.parts = parts;
    this.timelineWriter = timelineWriter;
    this.onEnd = onEnd;
  }

  /**
   * Why the question is not to be asked, or null. One whose id, or what the owner sees of it, was an earlier one's
   * would be given an answer that comes late or twice.
   */
  @Nullable
  String refusal(InteractionMessage question) {
    if (asked == MOST_QUESTIONS) {
      return "a run asks at most " + MOST_QUESTIONS + " questions";
    }
    boolean again = used.contains(question.requestId()) || used.contains(shown(question));
    return again ? "request_id is an earlier question's" : null;
  }

  void ask(InteractionMessage question) {
    asked++;
    used.add(question.requestId());
    used.add(shown(question));
    waiting = new InteractionWait(parts, timelineWriter, question, (asked, status, answer) -> {
      waiting = null;
      onEnd.ended(asked, status, answer);
    });
    waiting.begin();
  }

  private String shown(InteractionMessage question) {
    return parts.request().redaction().name(question.requestId());
  }

  /** Ends the question, if it is the one that waits. Data count with success alone. */
  AnswerOutcome answer(String interactionId, InteractionStatus status, @Nullable Json data) {
    if (waiting == null) {
      return AnswerOutcome.NO_PENDING_INTERACTION;
    }
    if (!waiting.isAbout(interactionId)) {
      return AnswerOutcome.INTERACTION_ID_MISMATCH;
    }
    waiting.end(status, status == InteractionStatus.SUCCESS ? data : null);
    return AnswerOutcome.DELIVERED;
  }

  /** Gives the question up without telling anybody. */
  void drop() {
    if (waiting != null) {
      waiting.drop();
      waiting = null;
    }
  }

  boolean isWaiting() {
    return waiting != null;
  }

  Optional<InteractionMessage> pending() {
    return Optional.ofNullable(waiting).map(InteractionWait::question);
  }
}
