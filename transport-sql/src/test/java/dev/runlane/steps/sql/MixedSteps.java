package dev.runlane.steps.sql;

import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.sql.worker.StepCall;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Steps of many kinds, and what the handler of the published package's worker does with them, here. */
final class MixedSteps {
  static final String GROUP = "mixed";

  /** How often the handler was called. */
  final AtomicInteger handled = new AtomicInteger();

  private final Set<String> failed = ConcurrentHashMap.newKeySet();

  static JsonObject input(int i) {
    Object payload =
        switch (i % 4) {
          case 0 -> "text \u00e4\ud83d\ude80\u0000";
          case 1 -> null;
          case 2 -> new JsonArray().add(1).add(2.5);
          default -> new JsonObject().putNull("a");
        };
    return new JsonObject()
        .put("id", "r" + i)
        .put("payload", payload)
        .put("failFirst", i % 7 == 0)
        .put("fatal", i % 25 == 3)
        .put("ballast", i % 100 == 6 ? "\u00e4\ud83d\ude80".repeat(50_000) : null)
        .put("large", i % 100 == 5 ? 300_000 : 0);
  }

  Future<StepOutcome> handle(StepCall call) {
    handled.incrementAndGet();
    JsonObject input = call.inputObject();
    String id = input.getString("id");
    if (input.getBoolean("failFirst") && failed.add(id)) {
      return Future.succeededFuture(call.failed("first", "once"));
    }
    if (input.getBoolean("fatal")) {
      return Future.succeededFuture(call.failedForGood("fatal", "for good"));
    }
    return Future.succeededFuture(call.done(new JsonObject()
        .put("id", id)
        .put("payload", input.getValue("payload"))
        .put("large", "x".repeat(input.getInteger("large")))));
  }
}
