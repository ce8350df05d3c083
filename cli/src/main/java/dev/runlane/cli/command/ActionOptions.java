package dev.runlane.cli.command;

import dev.runlane.run.Actor;
import dev.runlane.runtime.task.RunActionOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who acts, and why. */
public final class ActionOptions {
  @Option(names = "--reason", paramLabel = "TEXT", description = "Why: kept with the action.")
  private @Nullable String reason;

  @Option(
      names = {"--actor", "--as"},
      paramLabel = "NAME",
      description = "Who acts: kept with the action. Default: the user of the system.")
  private @Nullable String operator;

  /** What goes with an action, into the history of its run or the log of actions. */
  public RunActionOptions options(Map<String, String> variables) {
    RunActionOptions options = new RunActionOptions().setActor(actor(variables));
    if (reason != null) {
      // The events of a new run have no field for a reason.
      options.setReason(reason).setMeta(Map.of("reason", reason));
    }
    return options;
  }

  /** Why; null where nothing was said. */
  public @Nullable String reason() {
    return reason;
  }

  /** Who acts. */
  public Actor actor(Map<String, String> variables) {
    return Actor.operator(operator != null ? operator : user(variables));
  }

  private static String user(Map<String, String> variables) {
    String user = variables.getOrDefault("USER", System.getProperty("user.name", ""));
    return user.isEmpty() ? "runlane" : user;
  }
}
