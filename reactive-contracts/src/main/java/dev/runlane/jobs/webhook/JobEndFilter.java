package dev.runlane.jobs.webhook;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import java.util.List;
import java.util.Set;

/**
 * Which ends a webhook is notified of; everything given must hold.
 *
 * @param states {@code completed}, {@code failed} or both; empty: any
 * @param queueNames in one of these queues; empty: any
 * @param names of jobs with one of these names; empty: any
 */
public record JobEndFilter(Set<JobState> states, List<String> queueNames, List<String> names) {
  /** Every end. */
  public static final JobEndFilter ALL = new JobEndFilter(Set.of(), List.of(), List.of());

  /** Copies the collections. */
  public JobEndFilter {
    states = Set.copyOf(states);
    queueNames = List.copyOf(queueNames);
    names = List.copyOf(names);
  }

  /** Whether the end of this job is reported. */
  public boolean admits(JobData job) {
    return (states.isEmpty() || states.contains(job.state()))
        && (queueNames.isEmpty() || queueNames.contains(job.queueName()))
        && (names.isEmpty() || names.contains(job.name()));
  }
}
