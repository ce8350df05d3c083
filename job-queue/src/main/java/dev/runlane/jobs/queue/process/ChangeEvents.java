package dev.runlane.jobs.queue.process;

import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonValues;
import dev.runlane.run.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The events that report a change of jobs. */
public final class ChangeEvents {
  private ChangeEvents() {}

  /**
   * All that happened when a job ended or was put back, the job first.
   *
   * @param returnvalue what a completed job returned, sent along for those who wait for it
   */
  public static List<StoreEvent> of(FinishedJob change, @Nullable Json returnvalue, Instant now) {
    List<StoreEvent> events = new ArrayList<>(2);
    add(events, change.job(), returnvalue, now);
    change.ancestors().forEach(ancestor -> add(events, ancestor, null, now));
    String queue = change.job().queueName();
    Optional.ofNullable(change.next()).ifPresent(next -> saved(events, queue, next, null, now));
    JobRef copy = change.deadLetter();
    if (copy != null) {
      events.add(StoreEvent.of(StoreEventType.JOB_WAITING, copy.queueName(), copy.jobId(), now));
    }
    return events;
  }

  /** What became of jobs that nobody worked on, a flow's parents for example. */
  public static List<StoreEvent> of(List<JobChange> changes, Instant now) {
    List<StoreEvent> events = new ArrayList<>(changes.size());
    changes.forEach(change -> add(events, change, null, now));
    return events;
  }

  /** A job that was stored, or that another stands for now: nothing happened to that one. */
  public static void saved(
      List<StoreEvent> events,
      String queueName,
      SavedJob saved,
      @Nullable Instant due,
      Instant now) {
    if (saved.outcome() != SavedJob.Outcome.EXISTING) {
      events.add(inState(queueName, saved.id(), saved.state(), due, now));
    }
  }

  /** A job that is in this state now. */
  public static StoreEvent inState(
      String queueName, String jobId, JobState state, @Nullable Instant due, Instant now) {
    StoreEventType type =
        switch (state) {
          case WAITING -> StoreEventType.JOB_WAITING;
          case WAITING_CHILDREN -> StoreEventType.JOB_WAITING_CHILDREN;
          case DELAYED -> StoreEventType.JOB_DELAYED;
          case ACTIVE -> StoreEventType.JOB_ACTIVE;
          case COMPLETED -> StoreEventType.JOB_COMPLETED;
          case FAILED -> StoreEventType.JOB_FAILED;
        };
    Json data = state == JobState.DELAYED && due != null
        ? Json.ofChecked(Long.toString(due.toEpochMilli()))
        : null;
    return new StoreEvent(type, queueName, jobId, data, now);
  }

  /** Why the job of this event failed, as far as the event says. */
  public static String reason(StoreEvent event) {
    Json data = event.data();
    return data == null
        ? "failed"
        : String.valueOf(JsonCodec.standard().decode("the reason", data, Object.class));
  }

  private static void add(
      List<StoreEvent> events, JobChange change, @Nullable Json returnvalue, Instant now) {
    String queue = change.queueName();
    String id = change.jobId();
    if (change.state() == JobState.FAILED && change.cancelled()) {
      events.add(StoreEvent.of(StoreEventType.JOB_CANCELLED, queue, id, now));
    } else if (change.state() == JobState.COMPLETED) {
      events.add(new StoreEvent(StoreEventType.JOB_COMPLETED, queue, id, returnvalue, now));
    } else if (change.state() == JobState.FAILED) {
      events.add(new StoreEvent(StoreEventType.JOB_FAILED, queue, id, text(change), now));
    } else if (!change.removed()) {
      events.add(inState(queue, id, change.state(), null, now));
    }
    if (change.removed()) {
      events.add(StoreEvent.of(StoreEventType.JOB_REMOVED, queue, id, now));
    }
  }

  /** Why it failed, sent along for those who wait for a job that may be removed by then. */
  private static @Nullable Json text(JobChange change) {
    String reason = change.failedReason();
    return reason == null ? null : JsonValues.text(reason);
  }
}
