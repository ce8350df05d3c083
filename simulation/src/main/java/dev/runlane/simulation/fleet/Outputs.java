package dev.runlane.simulation.fleet;

import dev.runlane.run.RunRecord;
import io.vertx.core.json.JsonObject;

/** What runs put out. */
public final class Outputs {
  private Outputs() {}

  /** Whether a succeeded run put out what its payload makes it: of stepped and remote ones, the sum of their steps. */
  public static boolean isExpected(RunRecord run) {
    if (!run.taskId().equals(Catalogue.STEPPED) && !run.taskId().equals(Catalogue.REMOTE)) {
      return run.output() == null;
    }
    JsonObject payload = new JsonObject(run.payload().text());
    Item item = new Item(payload.getLong("script"), payload.getString("key"));
    return run.output() != null
        && run.output().text().equals(Integer.toString(Handlers.expectedSum(item)));
  }
}
