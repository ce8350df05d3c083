package dev.runlane.jobs.queue.job;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.process.ChangeEvents;
import dev.runlane.jobs.queue.process.EventHub;
import dev.runlane.jobs.queue.process.JobFailures;
import dev.runlane.jobs.queue.process.JobWatches;
import dev.runlane.jobs.queue.process.JobsContext;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of one job. Nothing is listened to until the first observer comes. One who comes is notified at once
 * that the job is active, or how it ended. Once the job has ended, or the last observer has left, it is over.
 *
 * <p>An event is a reason to read the job, and the observer is given what was read: a state that lasts for less
 * time than a read takes may be passed over, an end never. What events miss is found out by a read now and then, as for
 * those who wait for a job; only the end of a job that is removed as it ends is known by its event alone. One to whom
 * nothing more can be told is notified of that ({@link JobObserver#unobserved}).
 */
public final class JobObservable {
  private static final Logger LOG = LoggerFactory.getLogger(JobObservable.class);

  private final JobsContext jobs;
  private final String queueName;
  private final String jobId;
  private final Set<Watcher> watchers = new LinkedHashSet<>();
  private EventHub.@Nullable Registration registration;
  private JobWatches.@Nullable Polling poll;
  private @Nullable JobData known; // what was read last
  private @Nullable StoreEvent ending; // that told how it ended, should it be gone when it is read
  private boolean sought; // it was gone, and its last event has had its time
  private boolean reading;
  private boolean readAgain;
  private boolean ended;
  private @Nullable RunlaneException givenUp; // why it has ended before its job
  private volatile boolean disposed; // any thread may say so

  /** Made by {@link Job#observe}; what it stands on is internal. */
  public JobObservable(JobsContext jobs, String queueName, String jobId) {
    this.jobs = jobs;
    this.queueName = queueName;
    this.jobId = jobId;
  }

  /**
   * Adds an observer.
   *
   * @return takes it back
   */
  public Subscription subscribe(JobObserver observer) {
    Watcher watcher = new Watcher(observer, jobs.host().callerExecutor());
    jobs.host()
        .<Void>call(() -> {
          begin(watcher);
          return Future.succeededFuture();
        })
        .onFailure(gone -> watcher.observed(each -> each.unobserved(
            RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "job %s cannot be observed", jobId)
                .causedBy(gone))));
    return () -> {
      watcher.left = true;
      jobs.host().execute(() -> leave(watcher));
    };
  }

  /** Notifies no observer any more. */
  public void dispose() {
    disposed = true;
    jobs.host().execute(this::end);
  }

  private void begin(Watcher watcher) {
    if (watcher.left) {
      return;
    }
    RunlaneException reason = givenUp;
    if (ended) {
      if (reason != null) {
        watcher.call(each -> each.unobserved(reason));
      }
      return;
    }
    watchers.add(watcher);
    if (registration != null) {
      read();
      return;
    }
    try {
      poll = jobs.watches().polling(this::giveUp);
      registration = jobs.hub().onJob(queueName, jobId, this::onEvent);
    } catch (RunlaneException closedOrTooMany) {
      LOG.warn("job {} of queue {} cannot be observed", jobId, queueName, closedOrTooMany);
      giveUp(closedOrTooMany);
      return;
    }
    jobs.hub().listening(queueName).onComplete(listening -> read());
  }

  private void giveUp(RunlaneException reason) {
    givenUp = reason;
    List<Watcher> left = List.copyOf(watchers);
    end();
    left.forEach(watcher -> watcher.call(each -> each.unobserved(reason)));
  }

  private void leave(Watcher watcher) {
    watchers.remove(watcher);
    if (watchers.isEmpty()) {
      end();
    }
  }

  private void end() {
    ended = true;
    watchers.clear();
    if (registration != null) {
      registration.close();
      registration = null;
    }
    if (poll != null) {
      poll.end();
    }
  }

  private void onEvent(StoreEvent event) {
    if (event.type() == StoreEventType.JOB_COMPLETED
        || event.type() == StoreEventType.JOB_FAILED
        || event.type() == StoreEventType.JOB_CANCELLED) {
      ending = event;
    }
    read();
  }

  /** One read at a time; events that come meanwhile ask for one more. */
  private void read() {
    if (ended) {
      return;
    }
    if (reading) {
      readAgain = true;
      return;
    }
    reading = true;
    readAgain = false;
    Future.<Void>succeededFuture()
        .compose(start -> jobs.store().getJob(queueName, jobId))
        .onComplete(read -> {
          if (read.failed()) {
            LOG.warn(
                "job {} of queue {} is observed, but cannot be read",
                jobId,
                queueName,
                read.cause());
            readLater();
          } else if (found(read.result())) {
            notifyWatchers(read.result());
          } else {
            Objects.requireNonNull(poll).afterLastEvent(this::readAfterLastEvent);
          }
          reading =
              false; // not sooner: what an observer sets off is read after it was notified of this
          if (readAgain) {
            read();
          }
        });
  }

  private void readAfterLastEvent() {
    sought = true;
    read();
  }

  private void readLater() {
    Objects.requireNonNull(poll).later(this::read);
  }

  /** Not yet, where it is gone and the event that tells how it ended may be on its way. */
  private boolean found(Optional<JobData> read) {
    return read.isPresent() || known == null || ending != null || sought;
  }

  private void notifyWatchers(Optional<JobData> found) {
    known = found.orElseGet(this::removed);
    JobData data = known;
    if (data == null) {
      giveUp(JobFailures.notFound(queueName, jobId));
      return;
    }
    Job job = new Job(jobs, data);
    List.copyOf(watchers).forEach(watcher -> watcher.deliver(job, data));
    if (data.state().isTerminal()) {
      end();
    } else {
      sought = false;
      readLater();
    }
  }

  /** How a job ended that was removed as it did, or null where nobody can know. */
  private @Nullable JobData removed() {
    StoreEvent event = ending;
    if (known == null || event == null) {
      return null;
    }
    JobData.Builder ended = known.toBuilder();
    if (event.type() == StoreEventType.JOB_COMPLETED) {
      return ended.state(JobState.COMPLETED).returnvalue(event.data()).build();
    }
    return event.type() == StoreEventType.JOB_CANCELLED
        ? ended.state(JobState.FAILED).cancelledAt(event.timestamp()).build()
        : ended.state(JobState.FAILED).failedReason(ChangeEvents.reason(event)).build();
  }

  /** Takes an observer back; twice is harmless. */
  @FunctionalInterface
  public interface Subscription {
    /** The observer is notified of nothing any more. */
    void unsubscribe();
  }

  /** One observer, and what it knows. */
  private final class Watcher {
    private final JobObserver observer;
    private final Executor executor;
    private int knownAttempt;
    private double knownProgress;
    private volatile boolean left; // any thread may say so

    Watcher(JobObserver observer, Executor executor) {
      this.observer = observer;
      this.executor = executor;
    }

    void deliver(Job job, JobData data) {
      if (data.state() == JobState.ACTIVE && data.startedAttempts() > knownAttempt) {
        knownAttempt = data.startedAttempts();
        call(each -> each.active(job));
      }
      if (data.progress() != knownProgress) {
        knownProgress = data.progress();
        call(each -> each.progress(job, data.progress()));
      }
      if (data.state() == JobState.COMPLETED) {
        call(each -> each.completed(job, job.returnvalue()));
      } else if (data.state() == JobState.FAILED && data.cancelledAt() != null) {
        call(each -> each.cancelled(job));
      } else if (data.state() == JobState.FAILED) {
        call(each -> each.failed(job, job.failedReason().orElse("failed")));
      }
    }

    /** Where its worker pool is gone, with its verticle, the others are notified all the same. */
    private void call(Consumer<JobObserver> tell) {
      try {
        executor.execute(() -> observed(tell));
      } catch (RejectedExecutionException gone) {
        LOG.debug("an observer of job {} is gone with its context", jobId, gone);
        leave(this);
      }
    }

    /** An observer that has unsubscribed is not notified any more, whatever is on its way. */
    private void observed(Consumer<JobObserver> tell) {
      if (left || disposed) {
        return;
      }
      try {
        tell.accept(observer);
      } catch (Throwable thrown) { // whatever it is, the others are to hear
        LOG.warn("an observer of a job threw", thrown);
      }
    }
  }
}
