package dev.runlane.cli.jobs;

import dev.runlane.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code runlane jobs}. */
@Command(
    name = "jobs",
    description = "Jobs of the job queue: which there are, and what can be done to them.",
    subcommands = {
      JobReads.Queues.class,
      JobReads.ListJobs.class,
      JobReads.Get.class,
      JobReads.Logs.class,
      JobChanges.Retry.class,
      JobChanges.Promote.class,
      JobChanges.Cancel.class,
      JobChanges.Remove.class,
      JobChanges.Redrive.class,
      JobChanges.Drain.class,
      JobChanges.Pause.class,
      JobChanges.Resume.class,
      JobSchedulesCommand.class
    })
public final class JobsCommand extends CommandGroup {
  JobsCommand() {}
}
