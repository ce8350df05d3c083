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
import org.jspecify.annotations.Nullable;

/** The queues of jobs of a schema, to be served beside its runs while a command goes on. */
final class ServedJobs {
  private final OperatorConsole console;
  private final Vertx vertx;
  private final Optional<DatabaseOptions.Settings> database;
  private final boolean isThatOfRuns;

  /**
   * @param database whose; empty: there are none
   * @param isThatOfRuns whether the runs are in that database for certain; a program may have another one, and is
   *     served without jobs where this one cannot be reached
   */
  ServedJobs(
      OperatorConsole console,
      Vertx vertx,
      Optional<DatabaseOptions.Settings> database,
      boolean isThatOfRuns) {
    this.console = console;
    this.vertx = vertx;
    this.database = database;
    this.isThatOfRuns = isThatOfRuns;
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
          String until = until(failure);
          if (until == null) {
            return Future.failedFuture(failure);
          }
          console
              .err()
              .println("runlane: jobs are not served until " + until + ": " + failure.getMessage());
          return Future.succeededFuture(Optional.empty());
        }));
  }

  /** When they can be served after such a failure; null where it ends the command. */
  private @Nullable String until(Throwable failure) {
    if (!(failure instanceof RunlaneException refused)) {
      return null;
    }
    if (refused.code() == ErrorCode.CONFIGURATION_INVALID) {
      return "runlane migrate --apply and the next start";
    }
    return refused.code() == ErrorCode.STORAGE_UNAVAILABLE && !isThatOfRuns
        ? "their database is there at the next start"
        : null;
  }
}
