package dev.runlane.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.client.http.ApiAddress;
import dev.runlane.client.http.ApiCalls;
import dev.runlane.client.read.Fields;
import dev.runlane.operator.alert.Alert;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.Page;
import dev.runlane.timing.Durations;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Alerts over HTTP, and the silence of their rules. */
public final class AlertsClient {
  private static final String NO_SUCH_RULE = "alert_rule_not_found";

  private final ApiCalls calls;

  AlertsClient(ApiCalls calls) {
    this.calls = calls;
  }

  /**
   * A page of alerts, those that were opened last first.
   *
   * @param ruleId of this rule; null: of any
   * @param isOpen open ones or resolved ones; null: both
   * @param limit rows wanted, 1 to 200; null: 50
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<Alert>> list(
      @Nullable String ruleId,
      @Nullable Boolean isOpen,
      @Nullable Integer limit,
      @Nullable String cursor) {
    return calls
        .get(ApiAddress.of("alerts")
            .with("rule", ruleId)
            .with("state", isOpen == null ? null : isOpen ? "open" : "resolved")
            .page(limit, cursor))
        .map(body -> Pages.of(body, AlertsClient::alert));
  }

  /**
   * Has nobody told of what a rule finds until then; answers the rule's version. Empty where there is no such rule.
   *
   * @param until when they are told again; null: from now on, of what is still open too
   */
  public Future<Optional<Long>> silence(String ruleId, @Nullable Instant until, String reason) {
    ObjectNode body = RunsClient.reason(reason);
    return silenced(ruleId, until == null ? body : body.put("until", until.toString()));
  }

  /** The same for a time from now on, by the server's clock, at most 365 days. */
  public Future<Optional<Long>> silenceFor(String ruleId, Duration length, String reason) {
    return Future.<Void>succeededFuture()
        .compose(start ->
            silenced(ruleId, RunsClient.reason(reason).put("for", Durations.format(length))));
  }

  private Future<Optional<Long>> silenced(String ruleId, ObjectNode body) {
    return calls
        .post(ApiAddress.of("alert-rules", ruleId, "silence"), body)
        .map(answer -> Optional.of(new Fields("the answer", answer).number("version")))
        .recover(failure -> failure instanceof RunlaneException refused
                && NO_SUCH_RULE.equals(refused.meta().get(ApiCalls.API_CODE))
            ? Future.succeededFuture(Optional.empty())
            : Future.failedFuture(failure));
  }

  private static Alert alert(Fields row) {
    return new Alert(
        row.text("id"),
        row.text("ruleId"),
        row.text("subject"),
        row.text("text"),
        row.instant("openedAt"),
        row.instant("lastSeenAt"),
        row.instantOrNull("resolvedAt"),
        row.count("untold"));
  }
}
