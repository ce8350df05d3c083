package dev.runlane.connector.run;

import dev.runlane.connector.process.line.StderrTail;
import dev.runlane.connector.protocol.gap.KnownGaps;
import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.start.StartMessage;
import dev.runlane.connector.run.end.RunEnding;
import dev.runlane.connector.run.output.EndChecks;
import dev.runlane.connector.run.output.RunChild;
import dev.runlane.connector.run.output.RunOutput;
import dev.runlane.connector.run.record.RecordBatches;
import dev.runlane.connector.run.record.RunFacts;
import dev.runlane.connector.run.record.RunProgress;
import dev.runlane.connector.run.record.StagedCursors;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.ConnectorRunResult;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.run.state.FaultCollector;
import dev.runlane.connector.run.state.Faults;
import dev.runlane.connector.run.state.Retries;
import dev.runlane.connector.run.state.RunFault;
import dev.runlane.connector.run.state.RunFaultException;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.connector.run.state.TimelineWriter;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one run, on its context, from phase to phase:
 *
 * <pre>
 *   cursors ── launch ── run.started ── START ── lines ──► DONE ── flush ── stdin closed ── exit ──► end
 *                                                 │
 *                                 first fault ────┴──► child told to leave ── gone ──► end
 * </pre>
 */
final class RunDriver {
  private static final Logger LOG = LoggerFactory.getLogger(RunDriver.class);

  private final RunParts parts;
  private final ConnectorRunRequest request;
  private final Retries retries;
  private final FaultCollector faults;
  private final TimelineWriter timelineWriter;
  private final RunProgress progress;
  private final RunChild child;
  private final RunOutput output;

  private RunFacts.@Nullable LastValid lastValid;
  private boolean cancelled; // also once the end is decided

  RunDriver(RunParts parts) {
    this.parts = parts;
    this.request = parts.request();
    this.retries = new Retries(
        parts.timers(),
        parts.randomness(),
        parts.options().getSinkBackoff(),
        parts.options().getCallTimeout());
    this.faults = new FaultCollector(this::terminate);
    this.timelineWriter = new TimelineWriter(parts, retries, faults::report);
    this.progress = new RunProgress(
        timelineWriter,
        new RecordBatches(parts, timelineWriter, retries, faults::isOpen, this::streamUnknown),
        new StagedCursors(),
        new KnownGaps());
    this.child = new RunChild(parts, faults);
    this.output = new RunOutput(parts, faults, progress, child, this::violated);
  }

  /** The whole run, to its stored end. */
  Future<ConnectorRunResult> run() {
    Timers.Timer limit = parts
        .timers()
        .schedule(
            parts.options().getRunLimit(),
            () -> faults.report(RunFault.timedOut("the run took too long")));
    return new RunStart(parts, retries, faults::isOpen)
        .message()
        .compose(this::launch)
        .compose(this::announce)
        .compose(this::follow)
        .recover(failure -> {
          faults.report(broken(failure));
          return Future.succeededFuture();
        })
        .compose(followed -> child.terminated())
        .compose(gone -> settle(limit));
  }

  /** Ends the run, unless it is ending: the first fault counts, but a cancellation or a lost run outdoes it. */
  void stop(RunFault why) {
    cancelled |= why.kind() == RunFault.Kind.CANCELLED;
    faults.report(why);
  }

  AnswerOutcome answer(String interactionId, InteractionStatus status, @Nullable Json data) {
    return output.answer(interactionId, status, data);
  }

  Optional<InteractionMessage> pendingInteraction() {
    return output.pendingInteraction();
  }

  Optional<StderrTail> stderrTail() {
    return Optional.ofNullable(child.stderr());
  }

  void onStderr(Consumer<String> listener) {
    child.onStderr(listener);
  }

  // ---- what happens on the way

  private void terminate() {
    output.stop();
    child.terminate();
  }

  private void streamUnknown(String stream) {
    output.streamUnknown(stream);
  }

  private void violated(Violation violation) {
    observe(violation);
    faults.report(RunFault.violation(violation));
  }

  private void observe(Violation violation) {
    TimelineEvent last = timelineWriter.last();
    if (last != null) {
      lastValid = new RunFacts.LastValid(last.eventId(), last.type().value());
    }
    try {
      parts.observer().violation(violation.redacted(request.redaction()::name));
    } catch (Throwable failure) { // whatever it is, the run goes on
      LOG.warn("the observer of run {} failed", runId(), failure);
    }
  }

  /** A failure of the runtime's own: until there is a child, nothing was launched. */
  private RunFault broken(Throwable failure) {
    RunFault fault = Faults.of("the run could not be carried on", failure);
    if (failure instanceof RunFaultException) {
      return fault;
    }
    LOG.error(
        "run {} (trace {}) could not be carried on",
        runId(),
        request.active().run().traceId(),
        failure);
    return child.isLaunched()
        ? fault
        : RunFault.ofRuntime(TerminalReason.LAUNCH_FAILED, String.valueOf(fault.message()));
  }

  // ---- the phases

  private Future<StartMessage> launch(StartMessage start) {
    faults.requireOpen();
    return child.launch(output.reader()).map(start);
  }

  /** The timeline knows that the run began before the child's program does. */
  private Future<StartMessage> announce(StartMessage start) {
    faults.requireOpen();
    timelineWriter.append(
        TimelineEventType.STARTED, "started", RunStart.startedData(request, start));
    return timelineWriter.flushed().map(start);
  }

  private Future<Void> follow(StartMessage start) {
    faults.requireOpen();
    Future<Void> ended = child.open(output::handle, start.line()).map(end -> {
      output.ended(end);
      return null;
    });
    output.begin();
    return Future.join(ended, child.exited()).mapEmpty();
  }

  /** What is left to store takes its time as well, so the limit holds until that is done. */
  private Future<ConnectorRunResult> settle(Timers.Timer limit) {
    return output
        .close()
        .compose(flushed -> storeWhatWasValid())
        .compose(stored -> timelineWriter.flushed())
        .compose(told -> {
          limit.cancel();
          progress.batches().drop();
          faults.freeze();
          RunFault verdict = verdict();
          return new RunEnding(parts, timelineWriter, retries, facts(), () -> cancelled)
              .end(verdict);
        });
  }

  /** What was valid before a violation stays; its own failure changes nothing more. */
  private Future<Void> storeWhatWasValid() {
    RunFault fault = faults.fault();
    boolean wanted = fault != null && fault.violation() != null;
    return wanted
        ? progress.batches().flushAll().otherwise(failure -> {
          LOG.warn("records of run {} could not be stored", runId(), failure);
          return null;
        })
        : Future.succeededFuture();
  }

  private @Nullable RunFault verdict() {
    RunFault fault = faults.fault();
    if (fault != null) {
      return fault.kind() == RunFault.Kind.CANCELLED ? RunFault.cancelled(child.forced()) : fault;
    }
    RunFault found = new EndChecks(output, child).fault(progress.batches().counts().emitted);
    if (found != null && found.violation() != null) {
      observe(found.violation());
    }
    return found;
  }

  private RunFacts facts() {
    return new RunFacts(
        progress, output.done(), child.exitCode(), child.stderr(), lastValid, output.unanswered());
  }

  private String runId() {
    return request.active().run().runId();
  }
}
