package dev.runlane.cli.jobs;

import dev.runlane.cli.command.DatabaseCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.option.UsageException;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.sqlclient.PoolOptions;

/** A command on jobs: opens their tables, which must be of this release, without workers. */
abstract class JobCommand extends DatabaseCommand {
  private static final int CONNECTIONS = 2;
  private static final int CONNECT_SECONDS = 10;

  JobCommand(OperatorConsole console) {
    super(console);
  }

  /** What the command does. */
  interface Work {
    /** Does it. Returns how it ended. */
    OperatorExit on(Jobs jobs);
  }

  /** Checks the options. Throws {@link UsageException}. */
  abstract Work work();

  @Override
  protected final Begun begin() {
    Work work = work();
    return (vertx, settings) -> {
      PgJobStore store = PgJobStore.create(
          vertx,
          new PgJobStoreOptions()
              .setConnectOptions(settings.connect())
              .setPoolOptions(
                  new PoolOptions().setMaxSize(CONNECTIONS).setConnectionTimeout(CONNECT_SECONDS))
              .setSchema(settings.schema())
              .setStoreOptions(new JobStoreOptions().setAutoMigrate(false)));
      Jobs jobs = Jobs.builder(vertx, store).clock(console().clock()).build();
      try {
        console().await(store.connect());
        return work.on(jobs);
      } finally {
        console().close("the queues", jobs.close());
        console().close("the storage of jobs", store.disconnect());
      }
    };
  }

  /** Fails with {@code JobNotFound}. */
  final Job require(JobQueue queue, String jobId) {
    return console()
        .await(queue.getJob(jobId))
        .orElseThrow(() -> RunlaneException.of(
            ErrorCode.JOB_NOT_FOUND, "queue %s has no job %s", queue.name(), jobId));
  }
}
