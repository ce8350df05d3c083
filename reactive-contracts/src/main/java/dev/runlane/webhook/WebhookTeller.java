package dev.runlane.webhook;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies webhooks of ends, each at least once: the storage records an end in its own transaction, a sweep claims it,
 * delivers it, and only then removes it. A receiver that is slow holds up no other. Used on one context; not safe for
 * several threads.
 *
 * <pre>
 *   claim ┃ deliver ┃ remove   killed at the first ┃: the claim ends, another process delivers
 *                              killed at the second ┃: the same, and the receiver learns of it twice, under one id
 * </pre>
 *
 * @param <D> an end as it is kept
 */
public final class WebhookTeller<D> {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookTeller.class);
  private static final Duration REFRESH = Duration.ofMinutes(1);

  private static final Backoff BACKOFF =
      Backoff.exponential(Duration.ofSeconds(1), Duration.ofHours(1)).withJitter(0.2);

  private final WebhookEnds<D> ends;
  private final WebhookLimits limits;
  private final Function<WebhookRequest, Future<Integer>> post;
  private final Clock clock;
  private final Timers timers;
  private final Randomness randomness;
  private final Ids ids;
  private final Receivers receivers;
  private final Map<String, FailureLog> failures = new HashMap<>();
  private @Nullable Duration nextRegistered; // on the timers' own time, whatever the clock does

  /**
   * A teller that has registered nothing yet. Throws {@code ConfigurationInvalid} where a request may take more than
   * half of a claim.
   *
   * @param post sends a request and answers the status of its response
   */
  public WebhookTeller(
      WebhookEnds<D> ends,
      WebhookLimits limits,
      Function<WebhookRequest, Future<Integer>> post,
      Clock clock,
      Timers timers,
      Randomness randomness,
      Ids ids) {
    if (limits.requestTimeout().multipliedBy(2).compareTo(limits.claimDuration()) > 0) {
      throw RunlaneException.configurationInvalid(
          "requestTimeout must be at most half of claimDuration, but they are %s and %s",
          limits.requestTimeout(), limits.claimDuration());
    }
    this.ends = ends;
    this.limits = limits;
    this.post = post;
    this.clock = clock;
    this.timers = timers;
    this.receivers = new Receivers(timers);
    this.randomness = randomness;
    this.ids = ids;
  }

  /** Tells of what is due; true when there may be more. */
  public Future<Boolean> sweepOnce() {
    String token = ids.token();
    return register()
        .compose(registered -> receivers.free(ends.webhookIds()))
        .compose(free -> free.isEmpty()
            ? Future.succeededFuture(List.<DueEnd<D>>of())
            : ends.claim(free, token, clock.now(), limits.claimDuration(), limits.sweepLimit()))
        .compose(due ->
            receivers.tell(byWebhook(token, due)).map(told -> due.size() == limits.sweepLimit()));
  }

  /** Completes when what sweeps have begun to tell has ended. */
  public Future<Void> settled() {
    return receivers.settled();
  }

  private Map<String, Supplier<Future<Void>>> byWebhook(String token, List<DueEnd<D>> due) {
    Map<String, List<DueEnd<D>>> ofEach = new LinkedHashMap<>();
    due.forEach(
        end -> ofEach.computeIfAbsent(end.webhookId(), id -> new ArrayList<>()).add(end));
    Map<String, Supplier<Future<Void>>> work = new LinkedHashMap<>();
    ofEach.forEach(
        (id, own) -> work.put(id, () -> tell(own).compose(told -> ends.finish(token, told))));
    return work;
  }

  private Future<Void> register() {
    Duration elapsed = timers.elapsed();
    if (nextRegistered != null && elapsed.compareTo(nextRegistered) < 0) {
      return Future.succeededFuture();
    }
    return ends.register(clock.now()).transform((registered, failure) -> {
      if (failure != null && nextRegistered == null) {
        return Future.failedFuture(failure);
      }
      nextRegistered = elapsed.plus(REFRESH);
      if (failure != null) { // it was registered before, and what is due is told all the same
        LOG.warn("webhooks could not be registered again; tried in {}", REFRESH, failure);
      }
      return Future.succeededFuture();
    });
  }

  private Future<List<ToldEnd<D>>> tell(List<DueEnd<D>> due) {
    return Future.all(due.stream()
            .map(end -> send(end.request())
                .transform((done, failure) ->
                    Future.succeededFuture(failure == null ? told(end) : refused(end, failure))))
            .toList())
        .map(all -> all.<ToldEnd<D>>list());
  }

  private Future<Void> send(WebhookRequest request) {
    return Future.<Void>succeededFuture()
        .compose(start -> post.apply(request))
        .compose(WebhookPost::accepted);
  }

  private ToldEnd<D> told(DueEnd<D> end) {
    log(end).succeeded();
    return new ToldEnd<>(end.end(), null);
  }

  private ToldEnd<D> refused(DueEnd<D> end, Throwable failure) {
    Instant next = clock.now().plus(BACKOFF.delay(end.tries(), randomness));
    boolean isGivenUp = end.tries() >= Receivers.FEWEST_TRIES
        && next.isAfter(end.endedAt().plus(limits.giveUpAfter()));
    if (isGivenUp) {
      LOG.error(
          "webhook {} is not told of the end of {} any more, after {} tries: {}",
          end.webhookId(),
          end.subject(),
          end.tries(),
          failure.getMessage());
    } else {
      log(end).failed(failure, "it is told again");
    }
    return new ToldEnd<>(end.end(), isGivenUp ? null : next);
  }

  private FailureLog log(DueEnd<D> end) {
    return failures.computeIfAbsent(
        end.webhookId(), id -> new FailureLog(LOG, "telling webhook " + id, timers));
  }
}
