package dev.runlane.connector.schedule;

import dev.runlane.connector.store.schedule.ScheduleNotice;
import dev.runlane.connector.store.schedule.Schedules;
import dev.runlane.json.VertxJson;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts notices of schedules to one address, each until it is taken with a status of success or was tried often
 * enough. At least once, in no particular order: one whose taking was not heard of is sent again with the same {@code
 * notice_id}, by which the receiver knows it. A notice holds ids and reasons, never what a connector wrote. Redirects
 * are not followed.
 */
public final class WebhookNotices {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookNotices.class);
  private static final int BATCH = 20;
  private static final Backoff PAUSES =
      Backoff.exponential(Duration.ofSeconds(5), Duration.ofMinutes(10)).withJitter(0.2);

  private final Schedules schedules;
  private final HttpClient client;
  private final Clock clock;
  private final Randomness randomness;
  private final WebhookOptions options;

  /** A sender that uses {@code client}, which stays the caller's to close; the options are copied. */
  public WebhookNotices(
      Schedules schedules,
      HttpClient client,
      Clock clock,
      Randomness randomness,
      WebhookOptions options) {
    this.schedules = schedules;
    this.client = client;
    this.clock = clock;
    this.randomness = randomness;
    this.options = new WebhookOptions(options);
  }

  /** Sends what is due; true when there is more. */
  public Future<Boolean> sweepOnce() {
    Instant now = clock.now();
    return schedules
        .claimNotices(now, now.plus(options.getTimeout()).plusSeconds(60), BATCH)
        .compose(
            due -> Future.join(due.stream().map(this::send).toList()).map(due.size() == BATCH));
  }

  private Future<Void> send(ScheduleNotice notice) {
    return Future.<Void>succeededFuture()
        .compose(
            begin -> post(notice)) // inside compose, a client that throws failed this notice alone
        .transform((status, failure) -> failure == null && status >= 200 && status < 300
            ? schedules.remove(notice.number())
            : notTaken(
                notice, failure == null ? "HTTP " + status : failure.getClass().getSimpleName()));
  }

  /** Neither the address nor a failure's text is logged: both may hold a secret. */
  private Future<Void> notTaken(ScheduleNotice notice, String why) {
    boolean last = notice.attempts() >= options.getMaxAttempts();
    LOG.warn(
        "notice {} ({} of {}) was not taken at call {}, {}: {}",
        notice.number(),
        notice.kind(),
        notice.connector().instanceId(),
        notice.attempts(),
        last ? "it is given up" : "it is sent again",
        why);
    return last
        ? schedules.remove(notice.number())
        : schedules.postpone(
            notice.number(), clock.now().plus(PAUSES.delay(notice.attempts(), randomness)));
  }

  private Future<Integer> post(ScheduleNotice notice) {
    RequestOptions request = new RequestOptions()
        .setMethod(HttpMethod.POST)
        .setAbsoluteURI(options.address().toString())
        .setFollowRedirects(false)
        .setConnectTimeout(options.getTimeout().toMillis())
        .putHeader("Content-Type", "application/json");
    return client.request(request).compose(open -> open.send(
            VertxJson.of(body(notice)).text())
        .map(response -> {
          int status = response.statusCode();
          response.exceptionHandler(cut -> LOG.debug("an answer to a notice was cut off", cut));
          open.reset(); // whatever else it says is not read
          return status;
        })
        .timeout(options.getTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .onFailure(late -> open.reset()));
  }

  private static JsonObject body(ScheduleNotice notice) {
    return new JsonObject()
        .put("object", "schedule_notice")
        .put("notice_id", String.valueOf(notice.number()))
        .put("kind", notice.kind())
        .put("connector_id", notice.connector().connectorId())
        .put("connector_instance_id", notice.connector().instanceId())
        .put("reason", notice.reason())
        .put("run_id", notice.runId())
        .put("created_at", notice.createdAt().toString());
  }
}
