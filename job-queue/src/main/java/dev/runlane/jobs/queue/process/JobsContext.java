package dev.runlane.jobs.queue.process;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.host.CallerContextStore;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.observe.JobsObserver;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the queues, workers and jobs of one job queue have in common. Any thread may ask for its parts. */
public final class JobsContext {

  private final JobsHost host;
  private final JobStore store;
  private final Clock clock;
  private final Randomness randomness;
  private final JobsOptions options;
  private final Workers workers;
  private final Payloads payloads;
  private final EventHub hub;
  private final EventPublisher publisher;
  private final OutcomeWriter outcomes;
  private final LockRenewer locks;
  private final JobWatches watches;
  private final OpenLines lines = new OpenLines();
  private final JobsObserver observer;

  /** The workers of this process, as what they share sees them. Called on the home context only. */
  public interface Workers {
    /** A job of this queue waits to be fetched. */
    void waits(String queueName);

    /** This job is to be cancelled; its handler is perhaps one of theirs. */
    void cancelled(String queueName, String jobId);

    /** These jobs were handed out when nobody waited for them any more. */
    void late(List<JobData> fetched);
  }

  public JobsContext(
      JobsHost host,
      JobStore given,
      Clock clock,
      Randomness randomness,
      JsonCodec codec,
      JobsOptions said,
      List<JobsObserver> observers,
      Workers workers) {
    this.host = host;
    store = CallerContextStore.of(given, host);
    this.clock = clock;
    this.randomness = randomness;
    this.workers = workers;
    options = new JobsOptions(said);
    payloads = new Payloads(codec, options.getMaxPayloadBytes());
    hub = new EventHub(store, host, options.getWatchedJobs());
    publisher = new EventPublisher(store, host, randomness, options);
    outcomes = new OutcomeWriter(store, host, clock, randomness, options, workers::late);
    locks = new LockRenewer(store, host, clock);
    watches = new JobWatches(host, store, hub, options);
    observer = new GuardedJobsObserver(observers, host);
  }

  public JobsHost host() {
    return host;
  }

  /** Its futures complete on the caller's context. */
  public JobStore store() {
    return store;
  }

  public Clock clock() {
    return clock;
  }

  public Randomness randomness() {
    return randomness;
  }

  public JobsOptions options() {
    return options;
  }

  public Payloads payloads() {
    return payloads;
  }

  public EventHub hub() {
    return hub;
  }

  public EventPublisher publisher() {
    return publisher;
  }

  public OutcomeWriter outcomes() {
    return outcomes;
  }

  public LockRenewer locks() {
    return locks;
  }

  public JobWatches watches() {
    return watches;
  }

  public OpenLines lines() {
    return lines;
  }

  /** Notifies the application's observers; throws nothing of theirs. */
  public JobsObserver observer() {
    return observer;
  }

  /**
   * The options of a job that is to be added, with {@code carrier} or what observers make of it. Throws {@code
   * ValidationFailed} for a malformed carrier.
   */
  public JobOptions carried(
      String queueName, String jobName, JobOptions options, @Nullable Map<String, String> carrier) {
    JobChecks.requireCarrier(carrier);
    return options.carrying(observer.jobAdded(queueName, jobName, carrier));
  }

  /** Publishes these events, and wakes the workers of this process that they concern. Any thread may call. */
  public void changed(List<StoreEvent> events) {
    if (!events.isEmpty()) {
      host.execute(() -> {
        publisher.publish(events);
        events.forEach(this::wake);
      });
    }
  }

  /** See {@code Job.cancel}. Any thread may call. */
  public Future<Boolean> cancel(String queueName, String jobId) {
    Instant now = clock.now();
    return AdapterCall.of("the job store", () -> store.cancelOpenJob(queueName, jobId, now))
        .map(result -> {
          if (result instanceof CancelResult.Ended ended) {
            changed(ChangeEvents.of(ended.change(), null, now));
          } else if (result instanceof CancelResult.Requested) {
            // Its handler may be here; elsewhere the store's event notifies it.
            host.execute(() -> workers.cancelled(queueName, jobId));
          }
          return !(result instanceof CancelResult.Unchanged);
        });
  }

  /** The failure of those who wait for what is closed, or call it. */
  public static RunlaneException closed(String what) {
    return RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "%s is closed", what);
  }

  private void wake(StoreEvent event) {
    if (event.type() == StoreEventType.JOB_WAITING) {
      workers.waits(event.queueName());
    }
  }
}
