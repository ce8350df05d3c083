package dev.runlane.jobs.queue.process;

import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the store's events to the listeners in this process: one subscription a queue, from the first listener until
 * nobody has listened for a minute, so that who waits for one job after the other does not subscribe for each. Touched
 * on the home context only.
 */
public final class EventHub {
  /** How long a queue stays subscribed to that nobody listens to. */
  static final Duration KEPT = Duration.ofMinutes(1);

  private static final Logger LOG = LoggerFactory.getLogger(EventHub.class);

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
    Topic topic = topic(queueName);
    topic.queue.add(listener);
    return () -> {
      if (topic.queue.remove(listener)) {
        topic.left();
      }
    };
  }

  /** Calls {@code listener} for each event of a job. Throws {@code ValidationFailed} when too many do so. */
  public Registration onJob(String queueName, String jobId, Consumer<StoreEvent> listener) {
    if (watchedJobs >= mostJobs) {
      throw RunlaneException.of(
              ErrorCode.OPERATION_CANCELLED, "%d jobs are watched already", watchedJobs)
          .asRetryable();
    }
    watchedJobs++;
    Topic topic = topic(queueName);
    Map<String, List<Consumer<StoreEvent>>> jobs = topic.jobs;
    jobs.computeIfAbsent(jobId, id -> new ArrayList<>(1)).add(listener);
    return () -> {
      List<Consumer<StoreEvent>> left = jobs.get(jobId);
      if (left != null && left.remove(listener)) {
        watchedJobs--;
        if (left.isEmpty()) {
          jobs.remove(jobId);
        }
        topic.left();
      }
    };
  }

  /** Completes when no event of the queue, from whichever process, is missed any more. */
  public Future<Void> listening(String queueName) {
    Topic topic = topic(queueName);
    if (topic.subscribed.failed()) {
      topic.subscribed = subscribe(topic); // the backend may be back
    }
    topic.left(); // who asks may have left meanwhile
    return topic.subscribed;
  }

  /** Ends all subscriptions. Never fails: what cannot be ended is over with the store's connection. */
  public Future<?> close() {
    List<Future<Void>> ended = new ArrayList<>();
    topics.values().forEach(topic -> {
      topic.end();
      ended.add(store.unsubscribe(topic.name, topic.listener));
    });
    topics.clear();
    return Future.join(ended).otherwiseEmpty();
  }

  private Topic topic(String queueName) {
    Topic known = topics.get(queueName);
    if (known != null) {
      return known;
    }
    Topic made = new Topic(queueName);
    topics.put(queueName, made);
    made.subscribed = subscribe(made);
    return made;
  }

  private Future<Void> subscribe(Topic topic) {
    return store.subscribe(topic.name, topic.listener);
  }

  /** What fails is over with the store's connection. */
  private void unsubscribe(Topic topic) {
    Future.<Void>succeededFuture()
        .compose(begin -> store.unsubscribe(topic.name, topic.listener))
        .onFailure(failure -> LOG.debug(
            "queue {}, which nobody listens to, is still subscribed to", topic.name, failure));
  }

  /** Ends with {@link #close()}; twice is harmless. */
  public interface Registration {
    void close();
  }

  /** The listeners of one queue. */
  private final class Topic {
    private final String name;
    private final List<Consumer<StoreEvent>> queue = new ArrayList<>();
    private final Map<String, List<Consumer<StoreEvent>>> jobs = new HashMap<>();

    @SuppressWarnings("UnnecessaryLambda") // one object, so that it can be taken back
    private final Consumer<StoreEvent> listener = event -> host.execute(() -> deliver(event));

    private Future<Void> subscribed = Future.succeededFuture();
    private Duration unusedSince = Duration.ZERO; // on the timers' own time
    private Timers.@Nullable Timer expiry; // one, however many come and leave

    Topic(String name) {
      this.name = name;
    }

    /** A listener has, and perhaps it was the last. */
    void left() {
      if (queue.isEmpty() && jobs.isEmpty()) {
        unusedSince = host.timers().elapsed();
        if (expiry == null) {
          expireIn(KEPT);
        }
      }
    }

    void end() {
      if (expiry != null) {
        expiry.cancel();
      }
    }

    private void expireIn(Duration delay) {
      expiry = host.timers().schedule(delay, this::expire);
    }

    private void expire() {
      expiry = null;
      if (!queue.isEmpty() || !jobs.isEmpty()) {
        return; // who leaves last sees to it
      }
      Duration left = unusedSince.plus(KEPT).minus(host.timers().elapsed());
      if (left.isZero() || left.isNegative()) {
        topics.remove(name, this);
        unsubscribe(this);
      } else {
        expireIn(left);
      }
    }

    private void deliver(StoreEvent event) {
      List.copyOf(queue).forEach(each -> each.accept(event));
      List<Consumer<StoreEvent>> watching = event.jobId() == null ? null : jobs.get(event.jobId());
      if (watching != null) {
        List.copyOf(watching).forEach(each -> each.accept(event));
      }
    }
  }
}
