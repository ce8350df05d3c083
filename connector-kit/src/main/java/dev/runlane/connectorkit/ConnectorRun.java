package dev.runlane.connectorkit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connectorkit.message.Answer;
import dev.runlane.connectorkit.message.Assistance;
import dev.runlane.connectorkit.message.ConnectorFailure;
import dev.runlane.connectorkit.message.ConnectorRecord;
import dev.runlane.connectorkit.message.DetailCoverage;
import dev.runlane.connectorkit.message.DetailGap;
import dev.runlane.connectorkit.message.Interaction;
import dev.runlane.connectorkit.message.Progress;
import dev.runlane.connectorkit.message.RecordKey;
import dev.runlane.connectorkit.message.Skip;
import dev.runlane.connectorkit.message.Start;
import dev.runlane.connectorkit.wire.EndHooks;
import dev.runlane.connectorkit.wire.Messages;
import dev.runlane.connectorkit.wire.ProtocolOutput;
import dev.runlane.connectorkit.wire.Questions;
import dev.runlane.connectorkit.wire.ScopeCheck;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One run, as its connector sees it. Safe for several threads: messages are sent whole and in the
 * order of the calls. A call blocks while the runtime does not read, and while a question of
 * another thread is open. It fails with {@link java.io.UncheckedIOException} when the runtime is
 * gone, with {@link IllegalStateException} after DONE.
 */
public final class ConnectorRun {

  private final Start start;
  private final ScopeCheck scope;
  private final Messages messages;
  private final ProtocolOutput output;
  private final Questions questions;
  private final EndHooks hooks;
  private final ConnectorOptions options;
  private final AtomicLong assisted = new AtomicLong();

  ConnectorRun(
      Start start,
      ScopeCheck scope,
      Messages messages,
      ProtocolOutput output,
      Questions questions,
      EndHooks hooks,
      ConnectorOptions options) {
    this.start = start;
    this.scope = scope;
    this.messages = messages;
    this.output = output;
    this.questions = questions;
    this.hooks = hooks;
    this.options = options;
  }

  /** What is asked of this run. */
  public Start start() {
    return start;
  }

  /**
   * Whether the record is in the scope of this run, as far as the kit can tell; see {@link
   * ConnectorOptions#setManifest}.
   */
  public boolean isInScope(ConnectorRecord record) {
    return scope.refusal(record).isEmpty();
  }

  /**
   * Sends a record. One outside the scope is not sent: the call fails with a {@link
   * ConnectorFailure} whose code is {@code record_outside_scope}, as the runtime would fail the
   * run. See {@link #isInScope} for the ones that a source gives unasked.
   */
  public void record(ConnectorRecord record) {
    scope.refusal(record).ifPresent(reason -> {
      throw new ConnectorFailure(
          "record_outside_scope",
          "a record of stream %s was not sent: %s".formatted(record.stream(), reason));
    });
    output.record(messages.record(record));
  }

  /** Sends the current state of a record with a key of one part. */
  public void record(String stream, String key, ObjectNode data) {
    record(ConnectorRecord.of(stream, key, data));
  }

  /**
   * Sends a stream's checkpoint: all its records before this call are stored before the cursor is,
   * and the next run starts with it, once this one has succeeded.
   *
   * @param cursor whatever the connector wants back; null forgets
   */
  public void state(String stream, @Nullable ObjectNode cursor) {
    scope.requireStream(stream);
    output.message(messages.state(stream, cursor));
  }

  /** Tells the owner how far the run has come. */
  public void progress(Progress progress) {
    scope.requireStream(progress.stream());
    output.message(messages.progress(progress));
  }

  /** Tells the owner how far the run has come. */
  public void progress(String message) {
    progress(Progress.of(message));
  }

  /** Says what this run leaves out. */
  public void skip(Skip skip) {
    scope.requireStream(skip.stream());
    output.message(messages.skip(skip));
  }

  /** Says that the details of a record are missing; the run may succeed all the same. */
  public void detailGap(DetailGap gap) {
    scope.requireStream(gap.stream());
    output.message(messages.detailGap(gap));
  }

  /**
   * Says that details which a run reported as missing are there now.
   *
   * @param gapId the name of the {@link DetailGap}, or null
   */
  public void detailRecovered(String stream, RecordKey key, @Nullable String gapId) {
    scope.requireStream(stream);
    output.message(messages.detailRecovered(stream, key, gapId));
  }

  /** Says which details were collected, before the {@link #state cursor} that depends on them. */
  public void detailCoverage(DetailCoverage coverage) {
    scope.requireStream(coverage.stream());
    scope.requireStream(coverage.stateStream());
    output.message(messages.detailCoverage(coverage));
  }

  /**
   * Tells the owner what is to be done elsewhere, and continues.
   *
   * @return its id, for {@link #assistanceEnded}
   */
  public String assist(Assistance assistance) {
    scope.requireStream(assistance.stream());
    String id = "a" + assisted.incrementAndGet();
    output.message(messages.assistance(id, assistance));
    return id;
  }

  /** Says how it went on with what the owner was to do. */
  public void assistanceEnded(String id, Assistance.End end) {
    output.message(messages.assistanceEnded(id, end));
  }

  /**
   * Asks the owner and waits for the answer. Fails with {@link ConnectorFailure}: {@code
   * interaction_unavailable} when nobody can be asked, {@code runtime_gone} when the runtime ends.
   */
  public Answer ask(Interaction interaction) {
    scope.requireStream(interaction.stream());
    return questions.ask(interaction);
  }

  /** The records sent so far, deletions included: what DONE will say. */
  public long recordsEmitted() {
    return output.records();
  }

  /**
   * Closes {@code hook} when the body has ended, however it did, before DONE is sent; the latest
   * first, in the thread of the body. One that fails is reported on standard error and does not
   * change the run's end.
   */
  public void onEnd(AutoCloseable hook) {
    hooks.add(hook);
  }

  /** The variables of the connector's environment; empty unless the options gave one. */
  public Map<String, String> environment() {
    return options.getEnvironment();
  }

  /** The clock of the options. */
  public Clock clock() {
    return options.getClock();
  }
}
