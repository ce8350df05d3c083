package dev.runlane.cli.operator;

import dev.runlane.run.Actor;
import dev.runlane.runtime.task.RunActionOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who acts, and why. */
final class ActionOptions {
  @Option(names = "--reason", paramLabel = "TEXT", description = "Why: kept in the run's history.")
  private @Nullable String reason;

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description = "Who acts: kept in the run's history. Default: USER.")
  private @Nullable String operator;

  RunActionOptions options(Map<String, String> variables) {
    RunActionOptions options = new RunActionOptions().setActor(actor(variables));
    if (reason != null) {
      // The events of a new run have no field for a reason.
      options.setReason(reason).setMeta(Map.of("reason", reason));
    }
    return options;
  }

  Actor actor(Map<String, String> variables) {
    return Actor.operator(operator != null ? operator : variables.getOrDefault("USER", "runlane"));
  }
}
