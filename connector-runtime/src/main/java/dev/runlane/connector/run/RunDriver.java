package dev.runlane.connector.run;

import dev.runlane.connector.process.ChildLaunch;
import dev.runlane.connector.process.ChildProcess;
import dev.runlane.connector.process.LineBatch;
import dev.runlane.connector.process.OutputEnd;
import dev.runlane.connector.process.StderrTail;
import dev.runlane.connector.process.WriteOutcome;
import dev.runlane.connector.protocol.ConnectorMessage;
import dev.runlane.connector.protocol.DoneMessage;
import dev.runlane.connector.protocol.GapFactory;
import dev.runlane.connector.protocol.GapKind;
import dev.runlane.connector.protocol.InteractionMessage;
import dev.runlane.connector.protocol.InteractionStatus;
import dev.runlane.connector.protocol.KnownGap;
import dev.runlane.connector.protocol.KnownGaps;
import dev.runlane.connector.protocol.MessageReader;
import dev.runlane.connector.protocol.OutputChecks;
import dev.runlane.connector.protocol.Received;
import dev.runlane.connector.protocol.RecoveryAction;
import dev.runlane.connector.protocol.RuntimeReplies;
import dev.runlane.connector.protocol.StartMessage;
import dev.runlane.connector.protocol.Violation;
import dev.runlane.connector.protocol.ViolationType;
import dev.runlane.connector.store.TimelineEvent;
import dev.runlane.connector.store.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one run, on its context:
 *
 * <pre>
 *   cursors ── launch ── run.started ── START ── lines ──► DONE ── flush ── stdin closed ── exit ──► end
 *                                                 │
 *                                 first fault ────┴──► child told to leave ── gone ──► end
 * </pre>
 */
final class RunDriver implements MessageSteps.Control {
  private static final Logger LOG = LoggerFactory.getLogger(RunDriver.class);

  private final RunParts parts;
  private final ConnectorRunRequest request;
  private final RunStory story;
  private final RecordBatches batches;
  private final StagedCursors cursors = new StagedCursors();
  private final KnownGaps gaps = new KnownGaps();
  private final GapFactory gapFactory;
  private final MessageSteps steps;
  private final MessageReader reader;
  private final Retries retries;
  private final SilenceWatch silence;

  private @Nullable ChildProcess<Received> child;
  private @Nullable RunFault fault;
  private @Nullable InteractionWait waiting;
  private @Nullable DoneMessage done;
  private @Nullable String stdinClosedAt;
  private @Nullable Integer exitCode;
  private @Nullable Consumer<String> stderrListener;
  private RunFacts.@Nullable LastValid lastValid;
  private Future<Void> doneFlush = Future.succeededFuture();
  private long line; // the one that is handled
  private boolean forced;
  private boolean unanswered;
  private boolean ending;
  private Timers.@Nullable Timer runLimit;
  private Timers.@Nullable Timer exitLimit;

  RunDriver(RunParts parts) {
    this.parts = parts;
    this.request = parts.request();
    this.retries = new Retries(
        parts.timers(),
        parts.randomness(),
        parts.options().getSinkBackoff(),
        parts.options().getCallTimeout());
    this.story = new RunStory(parts, retries, this::stop);
    this.batches =
        new RecordBatches(parts, story, retries, () -> fault == null, this::streamUnknown);
    this.gapFactory = new GapFactory(request.redaction(), request.scope().explicit());
    this.steps = new MessageSteps(request, story, batches, cursors, gaps, this);
    this.reader = new MessageReader(
        OutputChecks.of(request.manifest(), request.scope()), parts.options().getReaderLimits());
    this.silence = new SilenceWatch(
        parts.timers(),
        request.unattended()
            ? parts.options().getUnattendedSilenceLimit()
            : parts.options().getSilenceLimit(),
        () -> waiting != null || done != null,
        () -> stop(timedOut("the connector said nothing for too long")));
  }

  /** The whole run, to its stored end. */
  Future<ConnectorRunResult> run() {
    runLimit = parts
        .timers()
        .schedule(parts.options().getRunLimit(), () -> stop(timedOut("the run took too long")));
    return new RunStart(parts, retries, () -> fault == null)
        .message()
        .compose(this::launch)
        .compose(this::announce)
        .compose(this::follow)
        .recover(failure -> {
          stop(Faults.of("the run could not be carried on", failure));
          return Future.succeededFuture();
        })
        .compose(followed -> childGone())
        .compose(gone -> settle());
  }

  /** Ends the run, unless it is ending: the first fault is told, but a cancellation or a lost run outdoes it. */
  void stop(RunFault why) {
    if (ending || fault != null && !outdoes(why, fault)) {
      return;
    }
    boolean first = fault == null;
    fault = why;
    if (first) {
      endChild();
    }
  }

  AnswerOutcome answer(String interactionId, InteractionStatus status, @Nullable Json data) {
    if (waiting == null || fault != null) {
      return AnswerOutcome.NO_PENDING_INTERACTION;
    }
    if (!waiting.question().requestId().equals(interactionId)) {
      return AnswerOutcome.INTERACTION_ID_MISMATCH;
    }
    waiting.end(status, status == InteractionStatus.SUCCESS ? data : null);
    return AnswerOutcome.DELIVERED;
  }

  Optional<InteractionMessage> pendingInteraction() {
    return Optional.ofNullable(waiting).map(InteractionWait::question);
  }

  Optional<StderrTail> stderrTail() {
    return Optional.ofNullable(child).map(ChildProcess::stderrTail);
  }

  void onStderr(Consumer<String> listener) {
    stderrListener = listener;
    if (child != null) {
      child.onStderr(listener);
    }
  }

  // ---- beginning

  private Future<StartMessage> launch(StartMessage start) {
    requireNoFault();
    ChildLaunch<Received> launch = new ChildLaunch<>(
        request.active().run().runId(),
        request.command(),
        reader::read,
        request.redaction()::output);
    return parts.children().launch(launch).transform((launched, failure) -> {
      if (failure != null) {
        LOG.warn("the connector of run {} could not be started", runId(), failure);
        String message = String.valueOf(failure.getMessage());
        return Future.failedFuture(
            new RunFaultException(RunFault.ofRuntime(TerminalReason.LAUNCH_FAILED, message)));
      }
      child = launched;
      if (stderrListener != null) {
        launched.onStderr(stderrListener);
      }
      return Future.succeededFuture(start);
    });
  }

  /** The timeline knows that the run began before the child's program does. */
  private Future<StartMessage> announce(StartMessage start) {
    requireNoFault();
    story.tell(TimelineEventType.STARTED, "started", RunStart.told(request, start));
    return story.told().map(start);
  }

  private Future<Void> follow(StartMessage start) {
    requireNoFault();
    ChildProcess<Received> running = running();
    written(running.open(this::handle, start.line().getBytes(StandardCharsets.UTF_8)), "start");
    silence.begin();
    Future<Void> output = running.outputEnd().map(end -> {
      outputEnded(end);
      return null;
    });
    Future<Void> exit = running.exit().map(code -> {
      exitCode = code;
      return null;
    });
    return Future.join(output, exit).mapEmpty();
  }

  // ---- lines

  private Future<Void> handle(LineBatch<Received> batch) {
    silence.pause();
    return handle(batch, 0)
        .recover(failure -> {
          stop(Faults.of("the connector's output could not be handled", failure));
          return Future.succeededFuture();
        })
        .eventually(() -> {
          silence.heard();
          return Future.succeededFuture();
        });
  }

  private Future<Void> handle(LineBatch<Received> batch, int from) {
    for (int at = from; at < batch.items().size() && fault == null; at++) {
      line = batch.numbers().of(at);
      Future<Void> step = step(batch.items().get(at));
      if (!step.succeeded()) {
        int next = at + 1;
        return step.compose(handled -> handle(batch, next));
      }
    }
    return fault == null ? story.room() : Future.succeededFuture();
  }

  private Future<Void> step(Received received) {
    if (waiting != null) {
      violated(outOfTurn(
          ViolationType.MESSAGE_WHILE_WAITING, "output came while a question waited", received));
      return MessageSteps.NOTHING_TO_WAIT_FOR;
    }
    if (done != null) {
      violated(outOfTurn(ViolationType.MESSAGE_AFTER_DONE, "output came after DONE", received));
      return MessageSteps.NOTHING_TO_WAIT_FOR;
    }
    return received.accept(steps);
  }

  private Violation outOfTurn(ViolationType type, String message, Received received) {
    Violation violation = Violation.of(type, message).atLine(line);
    return received instanceof ConnectorMessage known
        ? violation.inMessage(known.type())
        : violation;
  }

  @Override
  public void violated(Violation violation) {
    observe(violation);
    stop(RunFault.violation(violation));
  }

  @Override
  public void ask(InteractionMessage question) {
    if (!request.interactive()) {
      violated(Violation.of(
              ViolationType.INTERACTION_UNAVAILABLE,
              "a question came although nobody is there to answer")
          .inMessage(question.type())
          .atLine(line));
      return;
    }
    waiting = new InteractionWait(parts, story, question, this::answered);
    waiting.begin();
  }

  private void answered(
      InteractionMessage question, InteractionStatus status, @Nullable Json answer) {
    waiting = null;
    if (status != InteractionStatus.SUCCESS) {
      unanswered = true;
      gaps.addOfRuntime(gapFactory.unanswered(question, status));
    }
    silence.heard();
    send(
        RuntimeReplies.interactionResponse(question.requestId(), status, answer),
        "interaction_response");
  }

  @Override
  public void reply(String line, String phase) {
    send(line, phase);
  }

  /** Messages after this one must still be seen, so nothing waits for what it begins. */
  @Override
  public void done(DoneMessage message) {
    done = message;
    if (message.status() == DoneMessage.Status.SUCCEEDED) {
      doneFlush = batches.flushAll().recover(failure -> {
        stop(Faults.of("the last records could not be stored", failure));
        return Future.succeededFuture();
      });
    }
    doneFlush.onComplete(flushed -> {
      if (fault == null) {
        running().closeStdin();
        cancel(exitLimit);
        exitLimit = null;
        limitExit();
      }
    });
  }

  private void send(String line, String phase) {
    written(running().send(line.getBytes(StandardCharsets.UTF_8)), phase);
  }

  private void written(Future<WriteOutcome> told, String phase) {
    told.onSuccess(written -> {
      if (written == WriteOutcome.QUEUE_FULL) {
        stop(RunFault.ofRuntime(
            TerminalReason.RUNTIME_ERROR, "too much waits to be sent to the connector"));
      } else if (written == WriteOutcome.STDIN_CLOSED && stdinClosedAt == null && done == null) {
        stdinClosedAt = phase;
        limitExit(); // what it wrote before may still come, its end included
      }
    });
  }

  private void outputEnded(OutputEnd end) {
    dropQuestion();
    if (end instanceof OutputEnd.LineTooLong line) {
      violated(MessageReader.lineTooLong(line.limit(), line.number()));
    } else if (end instanceof OutputEnd.TooMuchOutput much) {
      violated(Violation.of(
          ViolationType.TOO_MUCH_OUTPUT, "more than " + much.limit() + " bytes were written"));
    } else if (end instanceof OutputEnd.Failed failed) {
      stop(Faults.of("the connector's output could not be read", failed.cause()));
    } else if (done == null && fault == null) {
      limitExit();
    }
  }

  private void streamUnknown(String stream) {
    cursors.forget(stream);
    KnownGap gap = KnownGap.ofRuntime(
        GapKind.STREAM_SKIPPED,
        "manifest_stream_unresolved",
        stream,
        "The record store does not know this stream.",
        RecoveryAction.RETRY_ON_CONNECTOR_UPGRADE);
    gaps.addOfRuntime(gap);
    steps.tellSkipped(gap);
  }

  // ---- ending

  private void endChild() {
    dropQuestion();
    if (child != null) {
      child.discardOutput();
      child.terminate();
    }
  }

  private void limitExit() {
    if (exitLimit == null) {
      exitLimit = parts.timers().schedule(parts.options().getExitTimeout(), () -> running()
          .terminate());
    }
  }

  private void dropQuestion() {
    if (waiting != null) {
      waiting.drop();
      waiting = null;
    }
  }

  /** Completes when nothing is left of the child. */
  private Future<Void> childGone() {
    ChildProcess<Received> left = child;
    if (left == null) {
      return Future.succeededFuture();
    }
    Future<Void> told = fault == null
        ? Future.succeededFuture()
        : left.terminate().map(end -> {
          forced = end.forced();
          return null;
        });
    return told.compose(gone -> left.ended()).compose(gone -> left.exit()).map(code -> {
      exitCode = code;
      return null;
    });
  }

  private Future<ConnectorRunResult> settle() {
    silence.end();
    cancel(exitLimit); // not the run's: what is left to store takes its time as well
    return doneFlush
        .compose(flushed -> storeWhatWasValid())
        .compose(stored -> story.told())
        .compose(told -> {
          cancel(runLimit);
          batches.drop();
          ending = true;
          RunFault verdict = verdict();
          return new RunEnding(parts, story, retries, facts()).end(verdict);
        });
  }

  /** What was valid before a violation stays; its own failure changes nothing more. */
  private Future<Void> storeWhatWasValid() {
    boolean wanted = fault != null && fault.violation() != null;
    return wanted
        ? batches.flushAll().otherwise(failure -> {
          LOG.warn("records of run {} could not be stored", runId(), failure);
          return null;
        })
        : Future.succeededFuture();
  }

  private @Nullable RunFault verdict() {
    if (fault != null) {
      return fault.kind() == RunFault.Kind.CANCELLED ? RunFault.cancelled(forced) : fault;
    }
    RunFault found = EndChecks.fault(done, exitCode, batches.counts().emitted, stdinClosedAt);
    if (found != null && found.violation() != null) {
      observe(found.violation());
    }
    return found;
  }

  private RunFacts facts() {
    return new RunFacts(
        batches,
        cursors,
        gaps,
        done,
        exitCode,
        child == null ? null : child.stderrTail(),
        lastValid,
        story.thinned(),
        unanswered);
  }

  private void observe(Violation violation) {
    TimelineEvent last = story.last();
    if (last != null) {
      lastValid = new RunFacts.LastValid(last.eventId(), last.type().value());
    }
    try {
      parts.observer().violation(violation);
    } catch (RuntimeException failure) {
      LOG.warn("the observer of run {} failed", runId(), failure);
    }
  }

  private void requireNoFault() {
    if (fault != null) {
      throw new RunFaultException(fault);
    }
  }

  private ChildProcess<Received> running() {
    if (child == null) {
      throw new IllegalStateException("run " + runId() + " has no child");
    }
    return child;
  }

  private String runId() {
    return request.active().run().runId();
  }

  private static boolean outdoes(RunFault why, RunFault before) {
    return rank(why) > rank(before);
  }

  private static int rank(RunFault fault) {
    return switch (fault.kind()) {
      case FAILED -> 0;
      case ABANDONED -> 1;
      case CANCELLED -> 2;
      case FENCED_OUT -> 3;
    };
  }

  private static RunFault timedOut(String message) {
    return RunFault.ofRuntime(TerminalReason.RUN_TIMED_OUT, message);
  }

  private static void cancel(Timers.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }
}
