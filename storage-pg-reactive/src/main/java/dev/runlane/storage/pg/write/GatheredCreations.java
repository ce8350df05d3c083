package dev.runlane.storage.pg.write;

import dev.runlane.postgres.CommandBatcher;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;

/**
 * Creations that share statements. Those with keys or tags never hold up those without, nor change what is sent for
 * them.
 *
 * @param plain gathers those without
 * @param keyed gathers those with keys
 * @param tagged gathers those with tags, with keys or without
 */
record GatheredCreations(
    CommandBatcher<AppendRunEvents, AppendedRun> plain,
    CommandBatcher<AppendRunEvents, AppendedRun> keyed,
    CommandBatcher<AppendRunEvents, AppendedRun> tagged) {
  Future<AppendedRun> submit(AppendRunEvents command) {
    return gatherer(command).submit(command);
  }

  private CommandBatcher<AppendRunEvents, AppendedRun> gatherer(AppendRunEvents command) {
    if (Creations.isTagged(command)) {
      return tagged;
    }
    return Creations.isKeyed(command) ? keyed : plain;
  }
}
