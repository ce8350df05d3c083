package dev.runlane.conformance.race.jobs;

import dev.runlane.conformance.model.jobs.JobWrites;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FinishJob;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which jobs a command may hold while it is under way, so that one beside it passes over them. */
final class JobHolds {
  private JobHolds() {}

  /** Whether a command may be taking or changing this job. */
  static boolean mayHold(Object command, JobData job) {
    if (isOfQueue(command)) {
      return true;
    }
    if (command instanceof JobWrites.FinishJobs finish) {
      return finish.commands().stream().anyMatch(each -> ends(each, job));
    }
    if (command instanceof JobWrites.SaveJobs save) {
      return save.jobs().stream().anyMatch(each -> meets(each, job));
    }
    if (command instanceof JobWrites.Fire fire) {
      return meets(fire.command().job(), job);
    }
    String named = named(command);
    return named != null && (named.equals(job.id()) || (isEnd(command) && mayFollow(job)));
  }

  private static boolean isOfQueue(Object command) {
    return command instanceof JobWrites.Fetch
        || command instanceof JobWrites.HandOver
        || command instanceof JobWrites.PromoteDelayedJobs
        || command instanceof JobWrites.PromoteJobs
        || command instanceof JobWrites.Clean
        || command instanceof JobWrites.RemoveExpiredJobs
        || command instanceof JobWrites.Drain
        || command instanceof JobWrites.ObliterateQueue
        || command instanceof JobWrites.RetryJobs
        || command instanceof JobWrites.RetryFailedJobs
        || command instanceof JobWrites.RedriveDeadLetters;
  }

  private static boolean ends(FinishJob finish, JobData job) {
    return finish.lock().jobId().equals(job.id())
        || mayFollow(job)
        || (finish.next() != null && meets(finish.next(), job));
  }

  /** Parents, which learn of an end, and jobs that ended before, which may go by their number. */
  private static boolean mayFollow(JobData job) {
    return !job.childrenIds().isEmpty() || job.state().isTerminal();
  }

  private static boolean meets(NewJob saved, JobData job) {
    return job.id().equals(saved.id())
        || (saved.deduplicationKey() != null
            && Objects.equals(saved.deduplicationKey(), job.deduplicationKey()));
  }

  private static boolean isEnd(Object command) {
    return command instanceof JobWrites.FailJob
        || command instanceof JobWrites.CancelOpenJob
        || command instanceof JobWrites.RemoveJob;
  }

  private static @Nullable String named(Object command) {
    if (command instanceof JobWrites.ExtendLocks extend) {
      List<JobLock> locks = extend.locks();
      return locks.isEmpty() ? null : locks.get(0).jobId();
    }
    return command instanceof JobWrites.UpdateJob update
        ? update.jobId()
        : command instanceof JobWrites.UpdateHeldJob held
            ? held.lock().jobId()
            : command instanceof JobWrites.UpdateExpectedJob expected
                ? expected.jobId()
                : namedOnly(command);
  }

  private static @Nullable String namedOnly(Object command) {
    if (command instanceof JobWrites.RemoveJob remove) {
      return remove.jobId();
    }
    if (command instanceof JobWrites.FailJob fail) {
      return fail.jobId();
    }
    if (command instanceof JobWrites.CancelJob cancel) {
      return cancel.jobId();
    }
    if (command instanceof JobWrites.CancelOpenJob cancel) {
      return cancel.jobId();
    }
    if (command instanceof JobWrites.ExtendLock extend) {
      return extend.jobId();
    }
    if (command instanceof JobWrites.ReleaseLock release) {
      return release.jobId();
    }
    if (command instanceof JobWrites.ReleaseHeldLock release) {
      return release.lock().jobId();
    }
    if (command instanceof JobWrites.AppendLog append) {
      return append.jobId();
    }
    if (command instanceof JobWrites.AppendHeldLog append) {
      return append.lock().jobId();
    }
    if (command instanceof JobWrites.ClearLogs clear) {
      return clear.jobId();
    }
    if (command instanceof JobWrites.NotifyChildCompleted told) {
      return told.parentId();
    }
    return command instanceof JobWrites.FailParent told ? told.parentId() : null;
  }
}
