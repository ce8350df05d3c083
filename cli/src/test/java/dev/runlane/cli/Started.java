package dev.runlane.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A command that goes on until Ctrl-C, on a thread of the test's own process. */
final class Started implements AutoCloseable {
  private final Interruption interruption = new Interruption();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final CompletableFuture<Integer> code;

  Started(Map<String, String> variables, String... arguments) {
    Commands surroundings = new Commands(
        interruption,
        new PrintStream(out, true, UTF_8),
        new PrintStream(err, true, UTF_8),
        variables,
        Terminal.NONE);
    code = CompletableFuture.supplyAsync(
        () -> RunlaneProgram.execute(surroundings, arguments),
        work -> new Thread(work, "command").start());
  }

  /** What follows this text in the line that has it, once there is one. */
  String after(String text) {
    OperatedFleet.until(() -> out().contains(text) || code.isDone());
    assertThat(out()).as(err()).contains(text);
    OperatedFleet.until(() -> rest(text).contains("\n") || code.isDone());
    return rest(text).lines().findFirst().orElse("");
  }

  private String rest(String text) {
    String all = out();
    return all.substring(all.indexOf(text) + text.length());
  }

  String out() {
    return out.toString(UTF_8);
  }

  String err() {
    return err.toString(UTF_8);
  }

  /** Ctrl-C; answers to the exit code. */
  int interrupt() throws Exception {
    interruption.requested().complete(null);
    return code.get(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    interruption.requested().complete(null);
    code.orTimeout(60, TimeUnit.SECONDS).join();
  }
}
