package dev.runlane.jobs.store;

import dev.runlane.jobs.JobData;
import java.util.List;

/**
 * A page of jobs that were found.
 *
 * @param jobs this page
 * @param total how many were found, on all pages
 */
public record JobPage(List<JobData> jobs, long total) {
  /** Copies the jobs. */
  public JobPage {
    jobs = List.copyOf(jobs);
  }
}
