package dev.runlane.simulation.jobs;

import dev.runlane.jobs.queue.options.JobWorkerOptions;
import java.time.Duration;
import java.util.List;

/** The queues of the simulated fleet, and what their workers are told. */
final class JobQueues {
  /** Without limits; flows have their parents here. */
  static final String PLAIN = "plain";

  /** At most so many jobs of a group, and of all groups, are active. */
  static final String GROUPED = "grouped";

  /** At most so many hand-outs in a window. */
  static final String LIMITED = "limited";

  /** Copies of jobs that failed; nobody works on them. */
  static final String LETTERS = "letters";

  static final List<String> WORKED_ON = List.of(PLAIN, GROUPED, LIMITED);
  static final List<String> ALL = List.of(PLAIN, GROUPED, LIMITED, LETTERS);

  /** How long a handler may go on after its signal. */
  static final Duration GRACE = Duration.ofSeconds(3);

  private JobQueues() {}

  static JobWorkerOptions options(String queue, JobSetup setup) {
    JobWorkerOptions options = new JobWorkerOptions()
        .setConcurrency(setup.concurrency())
        .setLockDuration(setup.lock())
        .setStalledInterval(setup.stalledInterval())
        .setSignalGrace(GRACE);
    return switch (queue) {
      case GROUPED ->
        options
            .setGroupConcurrency(setup.groupConcurrency())
            .setMaxGlobalConcurrency(setup.globalConcurrency());
      case LIMITED -> options.setLimiter(setup.rate());
      default -> options;
    };
  }
}
