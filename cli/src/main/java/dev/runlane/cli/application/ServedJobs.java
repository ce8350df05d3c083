package dev.runlane.cli.application;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.LocalJobs;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Optional;
import java.util.function.Function;

/** The queues of jobs of a schema, to be served beside its runs while a command goes on. */
final class ServedJobs {
  private final OperatorConsole console;
  private final Vertx vertx;
  private final Optional<DatabaseOptions.Settings> database;

  /** @param database whose; empty: there are none */
  ServedJobs(OperatorConsole console, Vertx vertx, Optional<DatabaseOptions.Settings> database) {
    this.console = console;
    this.vertx = vertx;
    this.database = database;
  }

  /**
   * Does the work with the queues, and closes them. Without, where the schema has no tables of jobs now, or, which it
   * says, none of this release.
   */
  OperatorExit during(Function<Optional<Jobs>, OperatorExit> work) {
    Optional<LocalJobs> found = found();
    try {
      return work.apply(found.map(LocalJobs::served));
    } finally {
      found.ifPresent(jobs -> console.close("the queues of jobs", jobs.close()));
    }
  }

  private Optional<LocalJobs> found() {
    return console.await(database
        .map(settings -> LocalJobs.find(vertx, settings, console.clock()))
        .orElse(Future.succeededFuture(Optional.empty()))
        .recover(failure -> {
          if (failure instanceof RunlaneException refused
              && refused.code() == ErrorCode.CONFIGURATION_INVALID) {
            console
                .err()
                .println(
                    "runlane: jobs are not served until runlane migrate --apply and the next start: "
                        + refused.getMessage());
            return Future.succeededFuture(Optional.empty());
          }
          return Future.failedFuture(failure);
        }));
  }
}
