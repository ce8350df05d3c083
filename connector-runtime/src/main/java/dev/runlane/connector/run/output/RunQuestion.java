package dev.runlane.connector.run.output;

import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.connector.run.state.TimelineWriter;
import dev.runlane.run.Json;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The question that one run waits with, if any: one at a time. Belongs to the run's context. */
final class RunQuestion {
  private final RunParts parts;
  private final TimelineWriter timelineWriter;
  private final InteractionWait.Ended onEnd;

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

  void ask(InteractionMessage question) {
    waiting = new InteractionWait(parts, timelineWriter, question, (asked, status, answer) -> {
      waiting = null;
      onEnd.ended(asked, status, answer);
    });
    waiting.begin();
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
