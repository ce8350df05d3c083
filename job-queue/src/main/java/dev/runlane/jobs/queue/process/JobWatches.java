package dev.runlane.jobs.queue.process;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Callers that wait for jobs to end. Each is notified by an event; what events miss is read now and then, less and less
 * often. Touched on the home context only.
 */
public final class JobWatches {
  /** The pause between two reads of one job grows up to this many times the first. */
  private static final int LONGEST_PAUSE = 12;

  /** How long the last event of a job may take: one that is gone is looked for again after it. */
  private static final Duration LAST_EVENT = Duration.ofSeconds(1);

  private final JobsHost host;
  private final JobStore store;
  private final EventHub hub;
  private final JobsOptions options;
  private final Set<Polling> polling = new HashSet<>();
  private boolean closed;

  JobWatches(JobsHost host, JobStore store, EventHub hub, JobsOptions options) {
    this.host = host;
    this.store = store;
    this.hub = hub;
    this.options = options;
  }

  /** See {@code Job.waitUntilFinished}. Any thread may call. */
  public Future<Optional<Json>> await(String queueName, String jobId, Optional<Duration> timeout) {
    return host.call(() -> new Waiting(queueName, jobId).begin(timeout));
  }

  /**
   * For who reads one job now and then: what events miss is found out so. Touched on the home context only. Throws
   * {@code OperationCancelled} when the job queue is closed.
   *
   * @param whenClosed called when it is closed before the polling has ended
   */
  public Polling polling(Consumer<RunlaneException> whenClosed) {
    if (closed) {
      throw JobsContext.closed("the job queue");
    }
    Polling begun = new Polling(whenClosed);
    polling.add(begun);
    return begun;
  }

  /** Ends all polling; who waits fails. */
  public void close() {
    closed = true;
    List.copyOf(polling).forEach(Polling::close);
  }

  /** When one job is read again. */
  public final class Polling {
    private final Consumer<RunlaneException> whenClosed;
    private Duration pause = options.getWatchInterval();
    private Timers.@Nullable Timer next;
    private boolean ended;

    private Polling(Consumer<RunlaneException> whenClosed) {
      this.whenClosed = whenClosed;
    }

    /** Looks once more, after a longer pause each time. */
    public void later(Runnable look) {
      in(pause, look);
      Duration longest = options.getWatchInterval().multipliedBy(LONGEST_PAUSE);
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(longest) < 0 ? doubled : longest;
    }

    /** Looks once more when the last event of a job that is gone has had its time. */
    public void afterLastEvent(Runnable look) {
      in(LAST_EVENT, look);
    }

    private void in(Duration delay, Runnable look) {
      if (next != null) {
        next.cancel();
      }
      if (!ended) {
        next = host.timers().schedule(delay, look);
      }
    }

    private void close() {
      end();
      whenClosed.accept(JobsContext.closed("the job queue"));
    }

    /** Looks no more; twice is harmless. */
    public void end() {
      ended = true;
      polling.remove(this);
      if (next != null) {
        next.cancel();
      }
    }
  }

  /** One who waits. */
  private final class Waiting {
    private final String queueName;
    private final String jobId;
    private final Promise<Optional<Json>> promise = Promise.promise();
    private EventHub.@Nullable Registration registration;
    private Timers.@Nullable Timer bound;
    private final Polling poll = polling(this::fail);
    private @Nullable StoreEvent end; // the last that said so: all there is of a job that is gone
    private boolean sought; // it was gone, and its last event has had its time
    private boolean reading;
    private boolean readAgain; // of what happened since the read began its answer may know nothing

    Waiting(String queueName, String jobId) {
      this.queueName = queueName;
      this.jobId = jobId;
    }

    Future<Optional<Json>> begin(Optional<Duration> timeout) {
      Future<Optional<Json>> answer = promise.future();
      try {
        registration = hub.onJob(queueName, jobId, this::onEvent);
      } catch (RunlaneException tooMany) {
        fail(tooMany);
        return answer;
      }
      timeout.ifPresent(most -> bound = host.timers()
          .schedule(
              most,
              () -> fail(RunlaneException.of(
                  ErrorCode.OPERATION_CANCELLED,
                  "waitUntilFinished timed out after %dms",
                  most.toMillis()))));
      // Reads also where it cannot listen: then polling is all there is.
      hub.listening(queueName).onComplete(listening -> read());
      return answer;
    }

    /** An event is a hint, which other roles of the database may send too: a job that is there says how it ended. */
    private void onEvent(StoreEvent event) {
      if (promise.future().isComplete()) {
        return;
      }
      StoreEventType type = event.type();
      if (type == StoreEventType.JOB_COMPLETED
          || type == StoreEventType.JOB_CANCELLED
          || (type == StoreEventType.JOB_FAILED && event.data() != null)) {
        end = event;
      }
      if (type != StoreEventType.JOB_PROGRESS && type != StoreEventType.JOB_ACTIVE) {
        read();
      }
    }

    /** One read at a time, however many events come meanwhile. */
    private void read() {
      if (promise.future().isComplete()) {
        return;
      }
      if (reading) {
        readAgain = true;
        return;
      }
      reading = true;
      store.getJob(queueName, jobId).onComplete(read -> {
        reading = false;
        if (read.succeeded()) {
          evaluate(read.result());
        } else {
          poll.later(this::read);
        }
        if (readAgain) {
          readAgain = false;
          read();
        }
      });
    }

    private void evaluate(Optional<JobData> found) {
      if (found.isEmpty()) {
        if (end != null) {
          ended(end);
        } else if (sought) {
          fail(JobFailures.notFound(queueName, jobId));
        } else {
          poll.afterLastEvent(() -> {
            sought = true;
            read();
          });
        }
        return;
      }
      sought = false;
      JobData job = found.get();
      if (job.state() == JobState.COMPLETED) {
        finish(Optional.ofNullable(job.returnvalue()));
      } else if (job.state() == JobState.FAILED && job.cancelledAt() != null) {
        cancelled();
      } else if (job.state() == JobState.FAILED) {
        failed(Optional.ofNullable(job.failedReason()).orElse("failed"));
      } else {
        poll.later(this::read);
      }
    }

    private void ended(StoreEvent end) {
      if (end.type() == StoreEventType.JOB_COMPLETED) {
        finish(Optional.ofNullable(end.data()));
      } else if (end.type() == StoreEventType.JOB_CANCELLED) {
        cancelled();
      } else {
        failed(ChangeEvents.reason(end));
      }
    }

    private void cancelled() {
      fail(RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "Job was cancelled"));
    }

    private void failed(String reason) {
      fail(RunlaneException.of(ErrorCode.TASK_FAILED, "%s", reason));
    }

    private void finish(Optional<Json> returnvalue) {
      stop();
      promise.tryComplete(returnvalue);
    }

    private void fail(RunlaneException failure) {
      stop();
      promise.tryFail(failure);
    }

    private void stop() {
      if (registration != null) {
        registration.close();
      }
      if (bound != null) {
        bound.cancel();
      }
      poll.end();
    }
  }
}
