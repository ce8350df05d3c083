package dev.runlane.connector.run.output;

import dev.runlane.connector.process.ChildLaunch;
import dev.runlane.connector.process.ChildProcess;
import dev.runlane.connector.process.line.LineHandler;
import dev.runlane.connector.process.line.OutputEnd;
import dev.runlane.connector.process.line.StderrTail;
import dev.runlane.connector.process.line.WriteOutcome;
import dev.runlane.connector.protocol.message.Received;
import dev.runlane.connector.protocol.read.MessageReader;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.run.state.FaultCollector;
import dev.runlane.connector.run.state.RunFault;
import dev.runlane.connector.run.state.RunFaultException;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The child of one run, from its launch until nothing is left of it, and how it left. Belongs to the run's context.
 */
public final class RunChild {
  private static final Logger LOG = LoggerFactory.getLogger(RunChild.class);

  private final RunParts parts;
  private final FaultCollector faults;

  private @Nullable ChildProcess<Received> process;
  private @Nullable Consumer<String> stderrListener;
  private @Nullable Integer exitCode;
  private @Nullable String inputClosedAt;
  private boolean allOutputRead;
  private boolean forced;
  private Timers.@Nullable Timer exitLimit;

  public RunChild(RunParts parts, FaultCollector faults) {
    this.parts = parts;
    this.faults = faults;
  }

  /** Makes the process, whose program waits for {@link #open}; fails with {@link RunFaultException}. */
  public Future<Void> launch(MessageReader reader) {
    ChildLaunch<Received> launch = new ChildLaunch<>(
        runId(), parts.request().command(), reader::read, parts.request().redaction()::output);
    return parts.children().launch(launch).transform((launched, failure) -> {
      if (failure != null) {
        LOG.warn(
            "the connector of run {} (trace {}) could not be started",
            runId(),
            parts.request().active().run().traceId(),
            failure);
        return Future.failedFuture(new RunFaultException(RunFault.ofRuntime(
            TerminalReason.LAUNCH_FAILED, String.valueOf(failure.getMessage()))));
      }
      process = launched;
      if (stderrListener != null) {
        launched.onStderr(stderrListener);
      }
      return Future.succeededFuture();
    });
  }

  /** Whether there is or was a process. */
  public boolean isLaunched() {
    return process != null;
  }

  /** Lets the program begin with START, and answers how its output ended. */
  public Future<OutputEnd> open(LineHandler<Received> lines, String start) {
    written(running().open(lines, bytes(start)), "start");
    return running().outputEnd();
  }

  /** Completes when the process has exited. */
  public Future<Void> exited() {
    return running().exit().map(code -> {
      exitCode = code;
      return null;
    });
  }

  /**
   * Sends a line.
   *
   * @param phase what the run was at, in case that the child does not read it
   */
  void send(String line, String phase) {
    written(running().send(bytes(line)), phase);
  }

  private void written(Future<WriteOutcome> told, String phase) {
    told.onSuccess(written -> {
      if (written == WriteOutcome.QUEUE_FULL) {
        faults.report(RunFault.ofRuntime(
            TerminalReason.RUNTIME_ERROR, "too much waits to be sent to the connector"));
      } else if (written == WriteOutcome.STDIN_CLOSED && inputClosedAt == null && !allOutputRead) {
        inputClosedAt = phase;
        limitExit(); // what it wrote before may still come, its end included
      }
    });
  }

  /** It said DONE: an input that is closed from now on is as it should be. */
  void allOutputRead() {
    allOutputRead = true;
  }

  /** Closes its input, which it may wait for, and gives it all its time to exit. */
  void closeInput() {
    running().closeStdin();
    endLimit();
    if (exitCode == null) {
      limitExit();
    }
  }

  /** Gives it its time to leave, unless that runs already. */
  void limitExit() {
    if (exitLimit == null) {
      exitLimit = parts.timers().schedule(parts.options().getExitTimeout(), () -> running()
          .terminate());
    }
  }

  /** Terminates it, if there is one; its output is discarded. */
  public void terminate() {
    if (process != null) {
      process.discardOutput();
      process.terminate();
    }
  }

  /** Completes when nothing is left of it, and how it ended is known. */
  public Future<Void> terminated() {
    ChildProcess<Received> left = process;
    if (left == null) {
      return Future.succeededFuture();
    }
    Future<Void> told = faults.isOpen()
        ? Future.succeededFuture()
        : left.terminate().map(end -> {
          forced = end.forced();
          return null;
        });
    return told.compose(gone -> left.ended()).compose(gone -> exited()).map(known -> {
      endLimit();
      return null;
    });
  }

  /** Calls the listener with every line of the standard error, also when it is launched later. */
  public void onStderr(Consumer<String> listener) {
    stderrListener = listener;
    if (process != null) {
      process.onStderr(listener);
    }
  }

  /** What it wrote on its standard error, or null when it was not launched. */
  @Nullable
  public StderrTail stderr() {
    return process == null ? null : process.stderrTail();
  }

  /** Its exit code, or null while that is not known. */
  @Nullable
  public Integer exitCode() {
    return exitCode;
  }

  /** What the run was at when the child closed its input before its end, or null. */
  @Nullable
  String inputClosedAt() {
    return inputClosedAt;
  }

  /** Whether it had to be killed. */
  public boolean forced() {
    return forced;
  }

  private void endLimit() {
    if (exitLimit != null) {
      exitLimit.cancel();
      exitLimit = null;
    }
  }

  private static byte[] bytes(String line) {
    return line.getBytes(StandardCharsets.UTF_8);
  }

  private ChildProcess<Received> running() {
    if (process == null) {
      throw new IllegalStateException("run " + runId() + " has no child");
    }
    return process;
  }

  private String runId() {
    return parts.request().active().run().runId();
  }
}
