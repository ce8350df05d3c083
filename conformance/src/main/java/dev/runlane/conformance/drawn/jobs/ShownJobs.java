package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Which jobs and locks commands refer to: mostly such as there are, sometimes such as there were. */
final class ShownJobs {
  private final JobDraw draw;
  private final JobModel model;
  private final List<JobLock> locks = new ArrayList<>(); // those among them that are lost

  ShownJobs(JobDraw draw, JobModel model) {
    this.draw = draw;
    this.model = model;
  }

  void learn() {
    for (JobData job : model.jobs()) {
      if (job.lockToken() != null && !locks.contains(job.lock())) {
        locks.add(job.lock());
      }
    }
  }

  /** A job, or the name of one that may not be there. */
  JobRef any() {
    return any(job -> true);
  }

  /** A job in one of these states, where there is one. */
  JobRef in(JobState state) {
    return any(job -> job.state() == state);
  }

  JobRef any(Predicate<JobData> fits) {
    List<JobData> jobs = model.knownJobs().stream().filter(fits).toList();
    if (jobs.isEmpty() || draw.oneIn(12)) {
      return new JobRef(draw.queue(), draw.anyOf(draw.ids));
    }
    JobData job = draw.anyOf(jobs);
    return new JobRef(job.queueName(), job.id());
  }

  /** Locks of different jobs, most of them held. */
  List<JobLock> locks(int most) {
    List<JobLock> chosen = new ArrayList<>();
    for (int i = 0; i < most; i++) {
      JobLock lock = lock();
      if (chosen.stream().noneMatch(each -> isSameJob(each, lock))) {
        chosen.add(lock);
      }
    }
    return chosen;
  }

  private static boolean isSameJob(JobLock one, JobLock other) {
    return one.jobId().equals(other.jobId()) && one.queueName().equals(other.queueName());
  }

  JobLock lock() {
    List<JobLock> held = model.jobs().stream()
        .filter(job -> job.lockToken() != null)
        .map(JobData::lock)
        .toList();
    if (!held.isEmpty() && !draw.oneIn(8)) {
      return draw.anyOf(held);
    }
    return locks.isEmpty()
        ? new JobLock(draw.queue(), draw.anyOf(draw.ids), "t")
        : draw.anyOf(locks);
  }
}
