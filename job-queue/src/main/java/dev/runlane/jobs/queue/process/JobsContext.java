package dev.runlane.jobs.queue.process;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.host.CallersContext;
import dev.runlane.jobs.queue.host.Home;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;

/** What the queues, workers and jobs of one job queue have in common. Any thread may ask for its parts. */
public final class JobsContext {
  private final Home home;
  private final JobStore store;
  private final Clock clock;
  private final Randomness randomness;
  private final JobsOptions options;
  private final Workers workers;
  private final Payloads payloads;
  private final EventHub hub;
  private final EventPublisher publisher;
  private final OutcomeGate outcomes;
  private final LockBook locks;
  private final JobWatches watches;

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
      Home home,
      JobStore given,
      Clock clock,
      Randomness randomness,
      JsonCodec codec,
      JobsOptions said,
      Workers workers) {
    this.home = home;
    store = CallersContext.of(given, home);
    this.clock = clock;
    this.randomness = randomness;
    this.workers = workers;
    options = new JobsOptions(said);
    payloads = new Payloads(codec, options.getMaxPayloadBytes());
    hub = new EventHub(store, home, options.getWatchedJobs());
    publisher = new EventPublisher(store, home, randomness, options);
    outcomes = new OutcomeGate(store, home, randomness, options, workers::late);
    locks = new LockBook(store, home, clock);
    watches = new JobWatches(home, store, hub, options);
  }

  public Home home() {
    return home;
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

  public OutcomeGate outcomes() {
    return outcomes;
  }

  public LockBook locks() {
    return locks;
  }

  public JobWatches watches() {
    return watches;
  }

  /** Tells these events, and wakes those of this process whom they concern. Any thread may call. */
  public void changed(List<StoreEvent> events) {
    if (!events.isEmpty()) {
      home.execute(() -> {
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
            // Its handler may be here; elsewhere the store's event tells it.
            home.execute(() -> workers.cancelled(queueName, jobId));
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
