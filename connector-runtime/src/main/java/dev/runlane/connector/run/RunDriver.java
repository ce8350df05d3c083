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
import dev.runlane.connector.run.record.RunBooks;
import dev.runlane.connector.run.record.RunFacts;
import dev.runlane.connector.run.record.StagedCursors;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.ConnectorRunResult;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.run.story.Faults;
import dev.runlane.connector.run.story.Retries;
import dev.runlane.connector.run.story.RunFate;
import dev.runlane.connector.run.story.RunFault;
import dev.runlane.connector.run.story.RunFaultException;
import dev.runlane.connector.run.story.RunParts;
import dev.runlane.connector.run.story.RunStory;
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
  private final RunFate fate;
  private final RunStory story;
  private final RunBooks books;
  private final RunChild child;
  private final RunOutput output;

  private RunFacts.@Nullable LastValid lastValid;

  RunDriver(RunParts parts) {
    this.parts = parts;
    this.request = parts.request();
    this.retries = new Retries(
        parts.timers(),
        parts.randomness(),
        parts.options().getSinkBackoff(),
        parts.options().getCallTimeout());
    this.fate = new RunFate(this::turnOut);
    this.story = new RunStory(parts, retries, fate::end);
    this.books = new RunBooks(
        story,
        new RecordBatches(parts, story, retries, fate::isOpen, this::streamUnknown),
        new StagedCursors(),
        new KnownGaps());
    this.child = new RunChild(parts, fate);
    this.output = new RunOutput(parts, fate, books, child, this::violated);
  }

  /** The whole run, to its stored end. */
  Future<ConnectorRunResult> run() {
    Timers.Timer limit = parts
        .timers()
        .schedule(
            parts.options().getRunLimit(),
            () -> fate.end(RunFault.timedOut("the run took too long")));
    return new RunStart(parts, retries, fate::isOpen)
        .message()
        .compose(this::launch)
        .compose(this::announce)
        .compose(this::follow)
        .recover(failure -> {
          fate.end(broken(failure));
          return Future.succeededFuture();
        })
        .compose(followed -> child.gone())
        .compose(gone -> settle(limit));
  }

  /** Ends the run, unless it is ending: the first fault is told, but a cancellation or a lost run outdoes it. */
  void stop(RunFault why) {
    fate.end(why);
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

  private void turnOut() {
    output.stop();
    child.turnOut();
  }

  private void streamUnknown(String stream) {
    output.streamUnknown(stream);
  }

  private void violated(Violation violation) {
    observe(violation);
    fate.end(RunFault.violation(violation));
  }

  private void observe(Violation violation) {
    TimelineEvent last = story.last();
    if (last != null) {
      lastValid = new RunFacts.LastValid(last.eventId(), last.type().value());
    }
    try {
      parts.observer().violation(violation.redacted(request.redaction()::name));
    } catch (RuntimeException failure) {
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
    fate.requireOpen();
    return child.launch(output.reader()).map(start);
  }

  /** The timeline knows that the run began before the child's program does. */
  private Future<StartMessage> announce(StartMessage start) {
    fate.requireOpen();
    story.tell(TimelineEventType.STARTED, "started", RunStart.told(request, start));
    return story.told().map(start);
  }

  private Future<Void> follow(StartMessage start) {
    fate.requireOpen();
    Future<Void> ended = child.open(output::handle, start.line()).map(end -> {
      output.ended(end);
      return null;
    });
    output.begin();
    return Future.join(ended, child.left()).mapEmpty();
  }

  /** What is left to store takes its time as well, so the limit holds until that is done. */
  private Future<ConnectorRunResult> settle(Timers.Timer limit) {
    return output
        .close()
        .compose(flushed -> storeWhatWasValid())
        .compose(stored -> story.told())
        .compose(told -> {
          limit.cancel();
          books.batches().drop();
          fate.decide();
          RunFault verdict = verdict();
          return new RunEnding(parts, story, retries, facts()).end(verdict);
        });
  }

  /** What was valid before a violation stays; its own failure changes nothing more. */
  private Future<Void> storeWhatWasValid() {
    RunFault fault = fate.fault();
    boolean wanted = fault != null && fault.violation() != null;
    return wanted
        ? books.batches().flushAll().otherwise(failure -> {
          LOG.warn("records of run {} could not be stored", runId(), failure);
          return null;
        })
        : Future.succeededFuture();
  }

  private @Nullable RunFault verdict() {
    RunFault fault = fate.fault();
    if (fault != null) {
      return fault.kind() == RunFault.Kind.CANCELLED ? RunFault.cancelled(child.forced()) : fault;
    }
    RunFault found = new EndChecks(output, child).fault(books.batches().counts().emitted);
    if (found != null && found.violation() != null) {
      observe(found.violation());
    }
    return found;
  }

  private RunFacts facts() {
    return new RunFacts(
        books, output.done(), child.exitCode(), child.stderr(), lastValid, output.unanswered());
  }

  private String runId() {
    return request.active().run().runId();
  }
}
