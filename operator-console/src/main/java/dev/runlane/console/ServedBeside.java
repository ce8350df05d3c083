package dev.runlane.console;

import dev.runlane.jobs.queue.Jobs;
import io.vertx.core.Handler;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a console serves beside runs.
 *
 * @param jobs job queues, or null
 * @param connectors makes the routes of connectors behind who lets callers through, or null
 */
record ServedBeside(
    @Nullable Jobs jobs, @Nullable Function<Handler<RoutingContext>, Router> connectors) {
  static final ServedBeside NOTHING = new ServedBeside(null, null);
}
