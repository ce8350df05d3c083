package dev.runlane.connector.run.output;

import dev.runlane.connector.process.line.LineBatch;
import dev.runlane.connector.process.line.OutputEnd;
import dev.runlane.connector.protocol.gap.GapFactory;
import dev.runlane.connector.protocol.gap.GapKind;
import dev.runlane.connector.protocol.gap.KnownGap;
import dev.runlane.connector.protocol.message.ConnectorMessage;
import dev.runlane.connector.protocol.message.DoneMessage;
import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.protocol.message.Received;
import dev.runlane.connector.protocol.message.RecoveryAction;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.protocol.read.MessageReader;
import dev.runlane.connector.protocol.read.OutputChecks;
import dev.runlane.connector.protocol.start.RuntimeReplies;
import dev.runlane.connector.run.record.RecordBatches;
import dev.runlane.connector.run.record.RunProgress;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.state.FaultCollector;
import dev.runlane.connector.run.state.Faults;
import dev.runlane.connector.run.state.RunFault;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the connector of one run says, line by line, and when it may say it:
 *
 * <pre>
 *   lines ──► DONE ──► nothing more
 *     │ ▲
 *     ▼ │ answered
 *   question: nothing either
 * </pre>
 *
 * Nothing is handled once the run is to end. Belongs to the run's context.
 */
public final class RunOutput implements MessageSteps.Control {
  private final RunParts parts;
  private final FaultCollector faults;
  private final RunProgress progress;
  private final RunChild child;
  private final Consumer<Violation> onViolation;
  private final GapFactory gapFactory;
  private final MessageReader reader;
  private final MessageSteps steps;
  private final RunQuestion question;
  private final InactivityMonitor silence;

  private Future<Void> lastFlush = Future.succeededFuture();
  private @Nullable DoneMessage done;
  private boolean unanswered;
  private long line; // the one that is handled
  private long doneLine;

  public RunOutput(
      RunParts parts,
      FaultCollector faults,
      RunProgress progress,
      RunChild child,
      Consumer<Violation> onViolation) {
    ConnectorRunRequest request = parts.request();
    this.parts = parts;
    this.faults = faults;
    this.progress = progress;
    this.child = child;
    this.onViolation = onViolation;
    this.gapFactory = new GapFactory(request.redaction(), request.scope().explicit());
    this.reader = new MessageReader(
        OutputChecks.of(request.manifest(), request.scope()), parts.options().getReaderLimits());
    this.steps = new MessageSteps(request, progress, gapFactory, this);
    this.question = new RunQuestion(parts, progress.timelineWriter(), this::answered);
    this.silence = new InactivityMonitor(
        parts.timers(),
        request.unattended()
            ? parts.options().getUnattendedSilenceLimit()
            : parts.options().getSilenceLimit(),
        () -> question.isWaiting() || done != null,
        () -> faults.report(RunFault.timedOut("the connector said nothing for too long")));
  }

  /** What makes messages of the lines. */
  public MessageReader reader() {
    return reader;
  }

  /** The connector can speak from now on. */
  public void begin() {
    silence.begin();
  }

  /** Handles lines in their order, and completes when the next may come. Never fails. */
  public Future<Void> handle(LineBatch<Received> batch) {
    silence.pause();
    return handle(batch, 0)
        .recover(failure -> {
          faults.report(Faults.of("the connector's output could not be handled", failure));
          return Future.succeededFuture();
        })
        .eventually(() -> {
          silence.resume();
          return Future.succeededFuture();
        });
  }

  /** No line comes any more. */
  public void ended(OutputEnd end) {
    dropQuestion();
    if (end instanceof OutputEnd.LineTooLong longLine) {
      violated(MessageReader.lineTooLong(longLine.limit(), longLine.number()));
    } else if (end instanceof OutputEnd.TooMuchOutput much) {
      violated(Violation.of(
          ViolationType.TOO_MUCH_OUTPUT, "more than " + much.limit() + " bytes were written"));
    } else if (end instanceof OutputEnd.Failed failed) {
      faults.report(Faults.of("the connector's output could not be read", failed.cause()));
    } else if (done == null && faults.isOpen()) {
      child.limitExit();
    }
  }

  /** Nothing is waited for any more, answers neither. */
  public void stop() {
    dropQuestion();
  }

  /** Nothing is watched any more; completes when what DONE has begun to store is stored or not. Never fails. */
  public Future<Void> close() {
    silence.end();
    return lastFlush.map(flushed -> {
      steps.end(faults.isOpen() && reportedSuccess());
      return null;
    });
  }

  public AnswerOutcome answer(String interactionId, InteractionStatus status, @Nullable Json data) {
    return faults.isOpen()
        ? question.answer(interactionId, status, data)
        : AnswerOutcome.NO_PENDING_INTERACTION;
  }

  public Optional<InteractionMessage> pendingInteraction() {
    return question.pending();
  }

  /** What it said last, or null when it did not. */
  @Nullable
  public DoneMessage done() {
    return done;
  }

  /** The line of DONE, from 1; 0 when there is none. */
  long doneLine() {
    return doneLine;
  }

  /** Whether a question had no answer. */
  public boolean unanswered() {
    return unanswered;
  }

  /** The sink does not know a stream, whose records and cursors are left out from now on. */
  public void streamUnknown(String stream) {
    progress.cursors().forget(stream);
    KnownGap gap = KnownGap.ofRuntime(
        GapKind.STREAM_SKIPPED,
        "manifest_stream_unresolved",
        stream,
        "The record store does not know this stream.",
        RecoveryAction.RETRY_ON_CONNECTOR_UPGRADE);
    progress.gaps().addOfRuntime(gap);
    steps.appendSkipped(gap);
  }

  @Override
  public void violated(Violation violation) {
    onViolation.accept(violation);
  }

  @Override
  public void ask(InteractionMessage asked) {
    if (!parts.request().interactive()) {
      violated(outOfTurn(
          ViolationType.INTERACTION_UNAVAILABLE,
          "a question came although nobody is there to answer",
          asked));
      return;
    }
    String refusal = question.refusal(asked);
    if (refusal == null) {
      question.ask(asked);
    } else {
      violated(outOfTurn(ViolationType.INVALID_MESSAGE, asked.type() + ": " + refusal, asked));
    }
  }

  @Override
  public void reply(String text, String phase) {
    child.send(text, phase);
  }

  /** Messages after this one must still be seen, so nothing waits for what it begins. */
  @Override
  public void done(DoneMessage message) {
    done = message;
    doneLine = line;
    child.allOutputRead();
    if (reportedSuccess()) {
      lastFlush = progress.batches().flushAll().recover(failure -> {
        faults.report(Faults.of("the last records could not be stored", failure));
        return Future.succeededFuture();
      });
    }
    lastFlush.onComplete(flushed -> {
      if (faults.isOpen()) {
        child.closeInput();
      }
    });
  }

  /** However the run ends, the condition it asked about is not seen to. */
  private void dropQuestion() {
    unanswered |= question.isWaiting();
    question.drop();
  }

  private boolean reportedSuccess() {
    return done != null && done.status() == DoneMessage.Status.SUCCEEDED;
  }

  private Future<Void> handle(LineBatch<Received> batch, int from) {
    for (int at = from; at < batch.items().size() && faults.isOpen(); at++) {
      line = batch.numbers().of(at);
      Future<Void> step = step(batch.items().get(at));
      if (!step.succeeded()) {
        int next = at + 1;
        return step.compose(handled -> handle(batch, next));
      }
    }
    return faults.isOpen() ? progress.timelineWriter().room() : Future.succeededFuture();
  }

  private Future<Void> step(Received received) {
    if (question.isWaiting()) {
      violated(outOfTurn(
          ViolationType.MESSAGE_WHILE_WAITING, "output came while a question waited", received));
      return RecordBatches.NOTHING_TO_WAIT_FOR;
    }
    if (done != null) {
      violated(outOfTurn(ViolationType.MESSAGE_AFTER_DONE, "output came after DONE", received));
      return RecordBatches.NOTHING_TO_WAIT_FOR;
    }
    return received.accept(steps);
  }

  private Violation outOfTurn(ViolationType type, String message, Received received) {
    Violation violation = Violation.of(type, message).atLine(line);
    return received instanceof ConnectorMessage known
        ? violation.inMessage(known.type())
        : violation;
  }

  private void answered(InteractionMessage asked, InteractionStatus status, @Nullable Json answer) {
    if (status != InteractionStatus.SUCCESS) {
      unanswered = true;
      progress.gaps().addOfRuntime(gapFactory.unanswered(asked, status));
    }
    silence.resume();
    child.send(
        RuntimeReplies.interactionResponse(asked.requestId(), status, answer),
        "interaction_response");
  }
}
