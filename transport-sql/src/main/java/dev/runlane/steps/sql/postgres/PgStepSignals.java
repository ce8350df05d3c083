package dev.runlane.steps.sql.postgres;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.adapter.Subscription;
import dev.runlane.json.VertxJson;
import dev.runlane.postgres.PgListener;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepListener;
import dev.runlane.steps.StepSignals;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.stream.Collectors;

/** Signals over LISTEN, on a channel that all programs of a prefix share. */
public final class PgStepSignals implements StepSignals {
  private final PgListener listener;
  private final String channel;

  public PgStepSignals(PgListener listener, String prefix) {
    this.listener = listener;
    this.channel = channel(prefix);
  }

  public static String channel(String prefix) {
    return prefix + "_transport";
  }

  @Override
  public Future<Subscription> listen(StepListener steps) {
    return AdapterCall.of(
        "listen",
        () -> listener.listen(channel, payload -> deliver(payload, steps), steps::onPossibleLoss));
  }

  /** What others send and nobody understands means that anything may be there. */
  private static void deliver(String payload, StepListener steps) {
    try {
      JsonObject signal = VertxJson.read(payload);
      if (signal.getValue("tasks") instanceof JsonArray groups) {
        steps.onTasks(groupsOf(groups));
      }
      if (Boolean.TRUE.equals(signal.getValue("results"))) {
        steps.onResults();
      }
    } catch (RunlaneException unknown) {
      steps.onTasks(Set.of());
      steps.onResults();
    }
  }

  private static Set<String> groupsOf(JsonArray groups) {
    return groups.stream()
        .filter(String.class::isInstance)
        .map(String.class::cast)
        .collect(Collectors.toUnmodifiableSet());
  }
}
