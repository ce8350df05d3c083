package dev.runlane.connector.process;

import dev.runlane.connector.process.line.DecodingPermits;
import dev.runlane.connector.process.line.OutputReader;
import dev.runlane.connector.process.line.OutputWindow;
import dev.runlane.connector.process.line.StderrReader;
import dev.runlane.connector.process.line.StdinWriter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The three pipes of a child and the threads that serve them. */
final class ChildStreams<T> {
  private static final Logger LOG = LoggerFactory.getLogger(ChildStreams.class);
  private static final long STACK_BYTES = 512 << 10;

  private final Context context;
  private final ChildPipes pipes;
  private final OutputWindow<T> window;
  private final OutputReader<T> output;
  private final StderrReader stderr;
  private final StdinWriter stdin;
  private final String runId;

  private Future<Void> outputOver = Future.succeededFuture();
  private Future<Void> finished = Future.succeededFuture();

  ChildStreams(
      Context context,
      ChildPipes pipes,
      ChildLaunch<T> launch,
      DecodingPermits permits,
      ChildProcessOptions options) {
    this.context = context;
    this.pipes = pipes;
    runId = launch.runId();
    window = new OutputWindow<>(context, options.getReadAheadBytes());
    output = new OutputReader<>(
        pipes.stdout(),
        launch.decoder(),
        window,
        permits,
        options.getMaxLineBytes(),
        options.getMaxOutputBytes());
    stderr =
        new StderrReader(pipes.stderr(), launch.redaction(), context, options.getStderrTailBytes());
    stdin = new StdinWriter(pipes.stdin(), context, options.getMaxStdinBytes());
  }

  /**
   * Begins to read and write. Throws what {@code starter} does, when some of it may have begun.
   *
   * @param starter starts a thread
   */
  void start(Consumer<Thread> starter) {
    outputOver = onThread("stdout", output, starter);
    finished = Future.join(
            outputOver, onThread("stderr", stderr, starter), onThread("stdin", stdin, starter))
        .mapEmpty();
  }

  OutputWindow<T> window() {
    return window;
  }

  OutputReader<T> output() {
    return output;
  }

  StderrReader stderr() {
    return stderr;
  }

  StdinWriter stdin() {
    return stdin;
  }

  /** Completes when all threads have ended and all pipes are closed. */
  Future<Void> finished() {
    return finished;
  }

  /** Whether all of the output that will be read has been read. */
  boolean isOutputOver() {
    return outputOver.isComplete();
  }

  /** Whether the output is only waited for: neither at its end, nor held up by the handler. */
  boolean isOutputAwaited() {
    return output.isReading();
  }

  /** Closes all pipes, which wakes whoever waits in one. */
  void cut() {
    try {
      pipes.close();
    } catch (IOException e) {
      LOG.warn("the pipes of the child of run {} were not closed", runId, e);
    }
  }

  private Future<Void> onThread(String name, Runnable work, Consumer<Thread> starter) {
    Promise<Void> over = Promise.promise();
    Runnable announced = () -> {
      try {
        work.run();
      } finally {
        context.runOnContext(turn -> over.complete());
      }
    };
    Thread thread = new Thread(null, announced, name + " of " + runId, STACK_BYTES);
    thread.setDaemon(true);
    starter.accept(thread);
    return over.future();
  }
}
