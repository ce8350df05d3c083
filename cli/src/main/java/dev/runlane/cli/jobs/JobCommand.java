package dev.runlane.cli.jobs;

import dev.runlane.cli.command.ActionOptions;
import dev.runlane.cli.command.DatabaseCommand;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.JobOperations;
import dev.runlane.cli.operate.LocalJobs;
import dev.runlane.cli.operate.RecordedJobs;
import dev.runlane.cli.operate.RemoteJobs;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.UsageException;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/** A command on jobs: opens their tables, which must be of this release, or goes through the API. */
abstract class JobCommand extends DatabaseCommand {
  JobCommand(OperatorConsole console) {
    super(console);
  }

  /** What the command does. */
  interface Work {
    /** Does it. Returns how it ended. */
    OperatorExit on(JobOperations jobs);
  }

  /** Checks the options. Throws {@link UsageException}. */
  abstract Work work();

  /** Who acts and why; null where it changes nothing. */
  @Nullable
  ActionOptions action() {
    return null;
  }

  /** Tells to how many jobs of a queue it was done. */
  final void tell(String queue, int count, String done) {
    console()
        .out()
        .println(
            isJson()
                ? JsonAnswers.object().put("queue", queue).put(done, count).toString()
                : count + (count == 1 ? " job " : " jobs ") + done);
  }

  /** Tells to how many jobs of a queue it would be done. Returns how that ended. */
  final OperatorExit tellCounted(String queue, long count, String done) {
    console()
        .out()
        .println(
            isJson()
                ? JsonAnswers.object().put("queue", queue).put("matched", count).toString()
                : count + " would be " + done + ". Nothing was done: --yes does it.");
    return OperatorExit.DONE;
  }

  @Override
  protected final Begun begin() {
    Work work = work();
    return (vertx, settings) -> {
      JobOperations jobs =
          console().await(LocalJobs.open(vertx, settings, console().clock()));
      return on(recorded(vertx, settings, jobs), work, "the queues");
    };
  }

  private JobOperations recorded(
      Vertx vertx, DatabaseOptions.Settings settings, JobOperations jobs) {
    ActionOptions action = action();
    return action == null
        ? jobs
        : console()
            .await(RecordedJobs.open(
                vertx,
                settings,
                console().clock(),
                jobs,
                action.options(console().variables())));
  }

  @Override
  protected final boolean goesRemotely() {
    return true;
  }

  @Override
  protected final BegunRemotely beginRemotely() {
    Work work = work();
    ActionOptions action = action();
    return client ->
        on(new RemoteJobs(client, action == null ? null : action.reason()), work, "the client");
  }

  private OperatorExit on(JobOperations jobs, Work work, String what) {
    try {
      return work.on(jobs);
    } finally {
      console().close(what, jobs.close());
    }
  }
}
