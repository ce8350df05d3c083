package dev.runlane.jobs.store;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Jobs and schedules without what may be large, for stores that read whole ones. */
final class JobSummaries {
  private static final Json NO_DATA = Json.ofChecked("null");

  private JobSummaries() {}

  static JobData of(JobData job) {
    DeadLetter letter = job.deadLetter();
    return job.toBuilder()
        .data(NO_DATA)
        .returnvalue(null)
        .childrenIds(List.of())
        .failedReason(cut(job.failedReason()))
        .deadLetter(letter == null ? null : cut(letter))
        .build();
  }

  static JobSchedule of(JobSchedule schedule) {
    return new JobSchedule(
        schedule.queueName(),
        schedule.key(),
        schedule.jobName(),
        NO_DATA,
        schedule.options(),
        schedule.repeat(),
        schedule.nextAt(),
        schedule.fired(),
        schedule.lastFiredAt(),
        schedule.lastJobId(),
        schedule.createdAt(),
        schedule.updatedAt());
  }

  private static DeadLetter cut(DeadLetter letter) {
    return new DeadLetter(
        letter.queueName(),
        letter.jobId(),
        String.valueOf(cut(letter.reason())),
        letter.failedAt(),
        letter.options());
  }

  /** Characters are code points, as a database counts them. */
  private static @Nullable String cut(@Nullable String text) {
    return text == null || text.codePointCount(0, text.length()) <= JobStore.SUMMARY_CHARACTERS
        ? text
        : text.substring(0, text.offsetByCodePoints(0, JobStore.SUMMARY_CHARACTERS));
  }

  static Future<List<JobData>> ofChildren(
      JobStore store, String parentQueueName, String parentId, int limit) {
    return AdapterCall.of("getChildrenSummaries", () -> {
      JobChecks.requireJob(parentQueueName, parentId);
      JobChecks.requireLimit(limit);
      return store
          .getJob(parentQueueName, parentId)
          .compose(parent -> parent.isEmpty()
              ? Future.succeededFuture(List.of())
              : store.getChildrenJobs(parentQueueName, parentId).map(children -> children.stream()
                  .filter(parent.get()::isParentOf)
                  .limit(limit)
                  .map(JobSummaries::of)
                  .toList()));
    });
  }
}
