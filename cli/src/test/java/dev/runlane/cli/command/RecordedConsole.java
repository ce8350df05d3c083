package dev.runlane.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What a command of a test is given, with what it said; no time passes. */
public final class RecordedConsole {
  /** What time it is. */
  public static final Instant NOW = Instant.parse("2026-11-27T03:00:00Z");

  private final Interruption interruption = new Interruption();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** As patient as commands are. */
  public OperatorConsole patient() {
    return within(OperatorConsole.DEFAULT_PATIENCE);
  }

  /** It waits so long for an answer. */
  public OperatorConsole within(Duration patience) {
    return new OperatorConsole(
        interruption,
        new PrintStream(out, true, UTF_8),
        new PrintStream(err, true, UTF_8),
        Map.of("USER", "ada"),
        Terminal.NONE,
        () -> NOW,
        patience);
  }

  /** Ctrl-C. */
  public void interrupt() {
    interruption.requested().complete(null);
  }

  /** What was answered. */
  public String out() {
    return out.toString(UTF_8);
  }

  /** Everything else that was said. */
  public String err() {
    return err.toString(UTF_8);
  }

  /** The answer to who makes a run of a task. */
  public static TriggerResult made(String runId, String taskId) {
    RunEvent.Created created = new RunEvent.Created(
        EventHeader.bySystem(new Environment("default"), runId, NOW),
        taskId,
        "default",
        Json.ofChecked("1"),
        null,
        RunKeys.NONE,
        RunSource.TRIGGER,
        Map.of());
    return new TriggerResult(
        RunReducer.projectRunEvents(null, 0, List.of(created)), TriggerOutcome.CREATED, true);
  }

  /** One that does what the test says. */
  public static <T> T answering(Class<T> type, InvocationHandler answers) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, answers));
  }
}
