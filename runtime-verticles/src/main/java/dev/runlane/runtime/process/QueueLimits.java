package dev.runlane.runtime.process;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.timing.Clock;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the queues of this process periodically, and knows the lowest limit that any living process has for each:
 * every command carries that one, whatever this process is configured with. What a killed process published holds until
 * it expires; while this process gets no answers, what it knows goes on holding. Does nothing where the storage keeps
 * no queues of processes.
 */
public final class QueueLimits {
  private static final Logger LOG = LoggerFactory.getLogger(QueueLimits.class);

  /** Publications that may fail before what this process said expires. */
  private static final int LIVES = 4;

  private static final Duration LAST_WORD = Duration.ofSeconds(1);

  private final Environment environment;
  private final Optional<QueueLimitStorage> storage;
  private final List<QueuePolicy> own;
  private final Map<String, QueuePolicy> ownByName;
  private final Clock clock;
  private final Timers timers;
  private final LocalNotifications notifications;
  private final Duration interval;
  private final Set<String> reported = new HashSet<>(); // on the home context
  private List<PublishedQueue> others = List.of(); // on the home context
  private Duration answeredAt = Duration.ZERO; // on the timers' own time
  private Duration waitedForUntil = Duration.ZERO; // the same
  private final Map<String, Duration> waitedFor =
      new HashMap<>(); // processes that are missing, and until when
  private volatile Map<String, Integer> lowest = Map.of(); // read by any thread
  private @Nullable SweepLoop loop;
  private Future<?> first =
      Future.succeededFuture(); // publication, which the last word must not overtake
  private boolean closed;
  private @Nullable String processId;

  public QueueLimits(
      Environment environment,
      Optional<QueueLimitStorage> storage,
      List<QueuePolicy> own,
      Clock clock,
      Timers timers,
      LocalNotifications notifications,
      Duration interval) {
    this.environment = environment;
    this.storage = storage;
    this.own = own;
    ownByName =
        own.stream().collect(Collectors.toUnmodifiableMap(QueuePolicy::queue, policy -> policy));
    this.clock = clock;
    this.timers = timers;
    this.notifications = notifications;
    this.interval = interval;
  }

  /** The policy as it holds now: with the lowest limit of all living processes. Any thread. */
  QueuePolicy holding(QueuePolicy policy) {
    Integer limit = lowest.get(policy.queue());
    Integer mine = policy.concurrencyLimit();
    return limit == null || (mine != null && mine <= limit)
        ? policy
        : new QueuePolicy(policy.queue(), limit, policy.dispatchTimeout());
  }

  /** The same for several. */
  List<QueuePolicy> holding(List<QueuePolicy> policies) {
    return lowest.isEmpty() ? policies : policies.stream().map(this::holding).toList();
  }

  /**
   * Publishes for the first time, so that the first command knows already, and continues. A storage that cannot be
   * reached now gets them later. Fails with {@link ErrorCode#OPERATION_CANCELLED} where it is closed meanwhile. On the
   * home context, as are all others.
   */
  public Future<Void> start(String process) {
    if (closed) {
      return Future.failedFuture(closedMeanwhile());
    }
    if (storage.isEmpty() || own.isEmpty() || loop != null) {
      return Future.succeededFuture();
    }
    processId = process;
    SweepLoop made = new SweepLoop(timers, "publisher of queue limits", this::sweepOnce, interval);
    loop = made;
    Future<Boolean> published = sweepOnce();
    first = published;
    return published
        .onFailure(failure -> LOG.warn("the queues of this process are not published yet", failure))
        .transform((answered, failure) -> {
          if (closed) {
            return Future.failedFuture(closedMeanwhile());
          }
          made.start();
          return Future.succeededFuture();
        });
  }

  private static RunlaneException closedMeanwhile() {
    return RunlaneException.of(
        ErrorCode.OPERATION_CANCELLED, "the runtime was closed while it started");
  }

  /** Takes back what this process said, if that can be done soon; else it expires. */
  public Future<Void> close() {
    closed = true;
    SweepLoop running = loop;
    if (running == null) {
      return Future.succeededFuture();
    }
    loop = null;
    Future<Void> taken = first
        .transform((published, failure) -> running.stop())
        .transform((stopped, failure) -> takeBack());
    return timers
        .within(
            LAST_WORD,
            taken,
            () -> RunlaneException.of(
                ErrorCode.OPERATION_CANCELLED, "the storage did not answer within %s", LAST_WORD))
        .otherwise(failure -> {
          LOG.debug("what this process published of its queues stays until it expires", failure);
          return null;
        });
  }

  private Future<Boolean> sweepOnce() {
    return AdapterCall.of(
            "queueLimits.publishAndCompare",
            () -> storage.orElseThrow().publishAndCompare(publication(own)))
        .map(differing -> {
          learn(differing);
          decide();
          return false;
        });
  }

  /**
   * Whose publication has expired is gone, unless this process was not answered for so long itself: what kept it from
   * publishing may have kept the others too, which are waited for: each once, so that answers which are always that far
   * apart keep nobody who is gone.
   */
  private void learn(List<PublishedQueue> differing) {
    Duration patience = interval.multipliedBy(2);
    Duration now = timers.elapsed();
    if (now.minus(answeredAt).compareTo(patience) > 0) {
      waitedForUntil = now.plus(patience);
    }
    answeredAt = now;
    Set<String> living =
        differing.stream().map(PublishedQueue::processId).collect(Collectors.toUnmodifiableSet());
    waitedFor.keySet().removeAll(living);
    List<PublishedQueue> missing = others.stream()
        .filter(each -> !living.contains(each.processId()))
        .filter(each ->
            now.compareTo(waitedFor.computeIfAbsent(each.processId(), first -> waitedForUntil)) < 0)
        .toList();
    others = Stream.concat(differing.stream(), missing.stream()).toList();
    waitedFor
        .keySet()
        .retainAll(missing.stream().map(PublishedQueue::processId).collect(Collectors.toSet()));
  }

  private Future<Void> takeBack() {
    return AdapterCall.of(
            "queueLimits.publishQueues",
            () -> storage.orElseThrow().publishQueues(publication(List.of())))
        .mapEmpty();
  }

  private PublishQueues publication(List<QueuePolicy> queues) {
    return new PublishQueues(
        environment, String.valueOf(processId), queues, clock.now(), interval.multipliedBy(LIVES));
  }

  private void decide() {
    Map<String, PublishedQueue> strictest = new HashMap<>();
    for (PublishedQueue other : others) {
      if (other.concurrencyLimit() != null) {
        strictest.merge(other.queue(), other, QueueLimits::stricter);
      }
    }
    Map<String, Integer> limits = new HashMap<>();
    for (QueuePolicy policy : own) {
      PublishedQueue other = strictest.get(policy.queue());
      if (other != null && isBelow(other, policy)) {
        limits.put(policy.queue(), other.concurrencyLimit());
        warnOnce(policy, other);
      }
    }
    others.forEach(this::warnOfLaxerLimit);
    List<String> ended =
        lowest.keySet().stream().filter(queue -> !limits.containsKey(queue)).toList();
    lowest = Map.copyOf(limits);
    ended.forEach(this::hasOwnLimitAgain);
  }

  private static PublishedQueue stricter(PublishedQueue one, PublishedQueue other) {
    return limitOf(one) <= limitOf(other) ? one : other;
  }

  private static int limitOf(PublishedQueue queue) {
    return queue.concurrencyLimit() == null ? Integer.MAX_VALUE : queue.concurrencyLimit();
  }

  private static boolean isBelow(PublishedQueue other, QueuePolicy policy) {
    return policy.concurrencyLimit() == null || limitOf(other) < policy.concurrencyLimit();
  }

  private void warnOnce(QueuePolicy policy, PublishedQueue other) {
    if (reported.add(policy.queue() + ":" + limitOf(other))) {
      LOG.warn(
          "queue {} has {} in this process and limit {} in process {}: the lowest holds while its process lives",
          policy.queue(),
          policy.concurrencyLimit() == null ? "no limit" : "limit " + policy.concurrencyLimit(),
          other.concurrencyLimit(),
          other.processId());
    }
  }

  /** This process has the lower limit: the other one obeys it, and both log it. */
  private void warnOfLaxerLimit(PublishedQueue other) {
    QueuePolicy policy = ownByName.get(other.queue());
    if (policy != null
        && policy.concurrencyLimit() != null
        && limitOf(other) > policy.concurrencyLimit()
        && reported.add(policy.queue() + ":" + limitOf(other))) {
      LOG.warn(
          "queue {} has limit {} in this process and {} in process {}: the lowest holds while its process lives",
          policy.queue(),
          policy.concurrencyLimit(),
          other.concurrencyLimit() == null ? "no limit" : "limit " + other.concurrencyLimit(),
          other.processId());
    }
  }

  private void hasOwnLimitAgain(String queue) {
    LOG.info("queue {} has this process's own limit again", queue);
    notifications.workAvailable(queue);
    notifications.dispatchChanged(queue);
  }
}
