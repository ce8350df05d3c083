package dev.runlane.connector.process;

import dev.runlane.connector.process.line.LineHandler;
import dev.runlane.connector.process.line.OutputEnd;
import dev.runlane.connector.process.line.StderrTail;
import dev.runlane.connector.process.line.WriteOutcome;
import dev.runlane.connector.process.os.ProcessIdentity;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * One child. It exists, in a group of its own and known to the guard, before its program begins: that waits for
 * {@link #open}. It is used on the context on which it was launched: methods are called there, futures complete
 * and handlers are called there. It ends by itself or by {@link #terminate}; either way all its descendants are
 * ended with it, and what it had written when it left is still handed over.
 *
 * @param <T> what a line of its output becomes
 */
public final class ChildProcess<T> {
  private static final byte[] GO = {'g', 'o', '\n'};

  private final Context context;
  private final ProcessIdentity identity;
  private final ChildStreams<T> streams;
  private final ChildEnd end;

  private boolean opened;

  ChildProcess(Context context, ProcessIdentity identity, ChildStreams<T> streams, ChildEnd end) {
    this.context = context;
    this.identity = identity;
    this.streams = streams;
    this.end = end;
  }

  /** The process, which leads its own group: its pid is the group's number. */
  public ProcessIdentity identity() {
    return identity;
  }

  /**
   * Lets the program begin, and hands what it writes to {@code handler}.
   *
   * @throws IllegalStateException if it was opened before
   */
  public void open(LineHandler<T> handler) {
    begin(handler);
    streams.stdin().writeFirst(GO); // what the gate waits for
  }

  /**
   * The same, with a first line that the program finds in its input when it begins: a program that leaves without
   * reading has not refused it. Never fails.
   *
   * @param line without its end, which is added; copied
   * @throws IllegalStateException if it was opened before
   */
  public Future<WriteOutcome> open(LineHandler<T> handler, byte[] line) {
    begin(handler);
    byte[] first = Arrays.copyOf(GO, GO.length + line.length + 1);
    System.arraycopy(line, 0, first, GO.length, line.length);
    first[first.length - 1] = '\n';
    return streams.stdin().write(first);
  }

  private void begin(LineHandler<T> handler) {
    if (opened) {
      throw new IllegalStateException("child " + identity.pid() + " is opened once");
    }
    opened = true;
    streams.window().open(handler);
  }

  /**
   * Writes one line to the child's standard input, after all that was sent before. Never fails.
   *
   * @param line without its end, which is added; copied
   * @throws IllegalStateException before {@link #open}
   */
  public Future<WriteOutcome> send(byte[] line) {
    if (!opened) {
      throw new IllegalStateException("child " + identity.pid() + " takes lines once it is opened");
    }
    byte[] ended = Arrays.copyOf(line, line.length + 1);
    ended[line.length] = '\n';
    return streams.stdin().write(ended);
  }

  /**
   * Closes the child's standard input once all that was sent is written, and once its descendants are known: many a
   * child leaves when its input ends, and what it had started is harder to find without it.
   */
  public void closeStdin() {
    end.findDescendants().onComplete(known -> streams.stdin().close());
  }

  /**
   * Drops what was read and not handed over, and all that comes: the child can write on, nobody listens. The batch
   * the handler is at, if any, ends as it will.
   */
  public void discardOutput() {
    streams.window().discard();
  }

  /** Completes after the last batch was handled, with why there is no other. Never fails. */
  public Future<OutputEnd> outputEnd() {
    return streams.window().ended();
  }

  /**
   * Completes when the child has left, with its exit code: 128 plus the signal's number if one killed it. Output
   * it wrote before may still be on its way. Never fails.
   */
  public Future<Integer> exit() {
    return end.exit();
  }

  /**
   * Asks the child and all its descendants to leave: SIGTERM, and to those that are there after the grace time
   * SIGKILL. Completes, for every caller alike, when none is there any more. Never fails. Output keeps being
   * handed over, so that a child can say its last; whoever does not want it {@linkplain #discardOutput says so}.
   */
  public Future<Termination> terminate() {
    return end.terminate();
  }

  /**
   * Completes when nothing is left of the child: no process, thread or open file. Never fails. While a handler
   * does not take the output of a child that has left, this waits.
   */
  public Future<Void> ended() {
    return end.ended();
  }

  /**
   * What the child wrote on its standard error, up to now, redacted. May be asked for at any time, also after the end.
   */
  public StderrTail stderrTail() {
    return streams.stderr().tail();
  }

  /**
   * Calls {@code listener} with every line of the standard error from now on, redacted line by line; of a
   * line beyond 16 KiB no more is shown than that there was one, and lines the listener is too slow for are left
   * out. One listener; a second replaces it.
   */
  public void onStderr(Consumer<String> listener) {
    streams.stderr().listen(listener);
  }

  /** How many bytes of its standard output have been read. */
  public long outputBytes() {
    return streams.output().bytesRead();
  }

  /** Ends it for good, whatever its handler does; called from any context. */
  Future<Void> abandon() {
    context.runOnContext(turn -> {
      discardOutput();
      terminate();
    });
    return ended();
  }
}
