package dev.runlane.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The command on a thread of this JVM, which costs a tenth of a JVM of its own: for what is not about that. */
final class CommandThread extends Process {
  private final Interruption interruption = new Interruption();
  private final Pipe out = Pipe.open();
  private final Pipe err = Pipe.open();
  private final CompletableFuture<Integer> code;

  CommandThread(List<String> arguments) throws IOException {
    code = CompletableFuture.supplyAsync(
        () -> execute(arguments.toArray(String[]::new)),
        work -> new Thread(work, "command").start());
  }

  private int execute(String[] arguments) {
    try (PrintStream said = stream(out);
        PrintStream complained = stream(err)) {
      return RunlaneProgram.execute(
          new Commands(interruption, said, complained, Map.of(), Terminal.NONE), arguments);
    }
  }

  private static PrintStream stream(Pipe pipe) {
    return new PrintStream(Channels.newOutputStream(pipe.sink()), true, UTF_8);
  }

  /** Nobody types. */
  @Override
  public OutputStream getOutputStream() {
    return OutputStream.nullOutputStream();
  }

  @Override
  public InputStream getInputStream() {
    return Channels.newInputStream(out.source());
  }

  @Override
  public InputStream getErrorStream() {
    return Channels.newInputStream(err.source());
  }

  @Override
  public int waitFor() throws InterruptedException {
    try {
      return code.get();
    } catch (ExecutionException failed) {
      throw new AssertionError(failed);
    }
  }

  @Override
  public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
    try {
      code.get(timeout, unit);
      return true;
    } catch (TimeoutException late) {
      return false;
    } catch (ExecutionException failed) {
      throw new AssertionError(failed);
    }
  }

  @Override
  public int exitValue() {
    if (!code.isDone()) {
      throw new IllegalThreadStateException("the command has not ended");
    }
    return code.join();
  }

  /** As by Ctrl-C: all that was started ends, and what it said is read no more. */
  @Override
  public void destroy() {
    interruption.requested().complete(null);
    code.whenComplete((ended, failed) -> {
      try {
        out.source().close();
        err.source().close();
      } catch (IOException unclosed) {
        throw new UncheckedIOException(unclosed);
      }
    });
  }
}
