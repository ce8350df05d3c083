package dev.runlane.storage.pg.write;

import dev.runlane.postgres.CommandBatcher;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;

/**
 * Creations that share statements. Those with keys never hold up those without.
 *
 * @param plain gathers those without
 * @param keyed gathers those with keys
 */
record GatheredCreations(
    CommandBatcher<AppendRunEvents, AppendedRun> plain,
    CommandBatcher<AppendRunEvents, AppendedRun> keyed) {
  Future<AppendedRun> submit(AppendRunEvents command) {
    return (Creations.isKeyed(command) ? keyed : plain).submit(command);
  }
}
