package dev.runlane.simulation.fleet;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.webhook.Webhook;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The tag that two tasks make of their payload, and the webhooks of each process, of which one asks for it. */
public final class Tagging {
  /** The name of the tag. */
  public static final String TAG = "key";

  /** Runs with this value are told to the second webhook. */
  private static final String TOLD = "K1";

  private static final Set<String> TASKS = Set.of(Catalogue.PLAIN, Catalogue.TICKING);
  private static final URI ADDRESS = URI.create("http://receiver.invalid/ends");
  private static final String SECRET = "a secret of sixteen bytes and more";
  private static final String ALL = "all";
  private static final String SOME = "some";

  private Tagging() {}

  /** What a run must be tagged with by its task; empty: with nothing. */
  public static Optional<String> tagOf(RunRecord run) {
    return TASKS.contains(run.taskId())
        ? Optional.of(new JsonObject(run.payload().text()).getString("key"))
        : Optional.empty();
  }

  static List<Webhook> webhooks() {
    return List.of(
        Webhook.to(ALL, ADDRESS, SECRET),
        Webhook.to(SOME, ADDRESS, SECRET).statuses(Set.of(RunStatus.SUCCEEDED)).tag(TAG, TOLD));
  }

  /** The webhooks that are told of the end of this run. */
  static List<String> webhooksOf(RunRecord run) {
    List<String> webhooks = new ArrayList<>(List.of(ALL));
    if (run.status() == RunStatus.SUCCEEDED && tagOf(run).filter(TOLD::equals).isPresent()) {
      webhooks.add(SOME);
    }
    return webhooks;
  }
}
