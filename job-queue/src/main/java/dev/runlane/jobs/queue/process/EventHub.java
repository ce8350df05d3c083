package dev.runlane.jobs.queue.process;

import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Delivers the store's events to the listeners in this process: one subscription a queue, from the first listener to
 * the end. Touched on the home context only.
 */
public final class EventHub {
  private final JobStore store;
  private final JobsHost host;
  private final int mostJobs;
  private final Map<String, Topic> topics = new HashMap<>();
  private int watchedJobs;

  EventHub(JobStore store, JobsHost host, int mostJobs) {
    this.store = store;
    this.host = host;
    this.mostJobs = mostJobs;
  }

  /** Calls {@code listener} for each event of a queue, until the registration is closed. */
  public Registration onQueue(String queueName, Consumer<StoreEvent> listener) {
    List<Consumer<StoreEvent>> listeners = topic(queueName).queue;
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** Calls {@code listener} for each event of a job. Throws {@code ValidationFailed} when too many do so. */
  public Registration onJob(String queueName, String jobId, Consumer<StoreEvent> listener) {
    if (watchedJobs >= mostJobs) {
      throw RunlaneException.of(
              ErrorCode.OPERATION_CANCELLED, "%d jobs are watched already", watchedJobs)
          .asRetryable();
    }
    watchedJobs++;
    Map<String, List<Consumer<StoreEvent>>> jobs = topic(queueName).jobs;
    jobs.computeIfAbsent(jobId, id -> new ArrayList<>(1)).add(listener);
    return () -> {
      List<Consumer<StoreEvent>> left = jobs.get(jobId);
      if (left != null && left.remove(listener)) {
        watchedJobs--;
        if (left.isEmpty()) {
          jobs.remove(jobId);
        }
      }
    };
  }

  /** Completes when no event of the queue, from whichever process, is missed any more. */
  public Future<Void> listening(String queueName) {
    Topic topic = topic(queueName);
    if (topic.subscribed.failed()) {
      topic.subscribed = subscribe(topic, queueName); // the backend may be back
    }
    return topic.subscribed;
  }

  /** Ends all subscriptions. Never fails: what cannot be ended is over with the store's connection. */
  public Future<?> close() {
    List<Future<Void>> ended = new ArrayList<>();
    topics.forEach((queueName, topic) -> ended.add(store.unsubscribe(queueName, topic.listener)));
    topics.clear();
    return Future.join(ended).otherwiseEmpty();
  }

  private Topic topic(String queueName) {
    Topic known = topics.get(queueName);
    if (known != null) {
      return known;
    }
    Topic made = new Topic();
    topics.put(queueName, made);
    made.subscribed = subscribe(made, queueName);
    return made;
  }

  private Future<Void> subscribe(Topic topic, String queueName) {
    return store.subscribe(queueName, topic.listener);
  }

  /** Ends with {@link #close()}; twice is harmless. */
  public interface Registration {
    void close();
  }

  /** The listeners of one queue. */
  private final class Topic {
    private final List<Consumer<StoreEvent>> queue = new ArrayList<>();
    private final Map<String, List<Consumer<StoreEvent>>> jobs = new HashMap<>();

    @SuppressWarnings("UnnecessaryLambda") // one object, so that it can be taken back
    private final Consumer<StoreEvent> listener = event -> host.execute(() -> deliver(event));

    private Future<Void> subscribed = Future.succeededFuture();

    private void deliver(StoreEvent event) {
      List.copyOf(queue).forEach(each -> each.accept(event));
      List<Consumer<StoreEvent>> watching = event.jobId() == null ? null : jobs.get(event.jobId());
      if (watching != null) {
        List.copyOf(watching).forEach(each -> each.accept(event));
      }
    }
  }
}
