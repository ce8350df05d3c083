package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.Pages;
import dev.runlane.json.VertxJson;
import dev.runlane.operator.alert.Alert;
import dev.runlane.run.Actor;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.alert.AlertRule;
import dev.runlane.runtime.alert.Alerts;
import dev.runlane.runtime.alert.StoredRule;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the document says of alerts and their rules. */
public final class AlertRoutes {
  private static final List<String> COLUMNS = List.of(
      "id", "ruleId", "subject", "text", "state", "openedAt", "lastSeenAt", "resolvedAt", "untold");
  private static final List<String> OF_NO_RULE = List.of("reason", "version");

  private final Alerts alerts;
  private final Masks masks;
  private final Clock clock;

  /** Over the alerts of one runtime's environment. */
  public AlertRoutes(Runlane runlane, Masks masks, Clock clock) {
    alerts = runlane.alerts();
    this.masks = masks;
    this.clock = clock;
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put("listAlerts", this::list);
    handlers.put("listAlertRules", this::rules);
    handlers.put("putAlertRule", this::put);
    handlers.put("removeAlertRule", this::remove);
    handlers.put("silenceAlertRule", this::silence);
    handlers.put("testAlertChannel", this::test);
    return handlers;
  }

  private Future<Answer> list(ApiCall call) {
    return alerts
        .list(
            call.one("rule").orElse(null),
            call.one("state").map("open"::equals).orElse(null),
            call.number("limit").orElse(null),
            call.one("cursor").orElse(null))
        .map(page -> Pages.page(call, page, alert -> masked(alert, call.caller()), COLUMNS));
  }

  /** The text of a test says who asked for it. */
  private ObjectNode masked(Alert alert, Caller caller) {
    ObjectNode body = alert(alert);
    ObjectNode asked = JsonNodeFactory.instance.objectNode();
    asked.putObject("actor").put("id", "any");
    if (alert.ruleId().equals(Alerts.TEST_RULE) && masks.hidesAnyOf(asked, caller)) {
      body.put("text", Masks.MASKED);
    }
    return masks.apply(body, caller);
  }

  private Future<Answer> rules(ApiCall call) {
    return alerts.rules().compose(rules -> alerts.lastPass().map(pass -> {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      ArrayNode data = body.putArray("data");
      rules.forEach(rule -> data.add(masked(rule(rule), call.caller())));
      pass.ifPresent(last -> body.put("lookedAt", last.at().toString()));
      ArrayNode channels = body.putArray("channels");
      pass.ifPresent(last -> last.channels().forEach(channels::add));
      return Answer.ok(body);
    }));
  }

  /** Who changed it alone: what a rule is made of comes back from who changes it, and would be the mask's text. */
  private ObjectNode masked(ObjectNode rule, Caller caller) {
    JsonNode actor = masks.apply(rule.deepCopy(), caller).get("actor");
    if (actor != null) {
      rule.set("actor", actor);
    }
    return rule;
  }

  private Future<Answer> put(ApiCall call) {
    call.bodyDuration("window");
    call.bodyInstant("silencedUntil");
    ObjectNode rule = call.body().deepCopy();
    Long version = rule.has("version") ? Long.valueOf(rule.path("version").longValue()) : null;
    rule.remove(OF_NO_RULE);
    String id = call.pathValue("ruleId");
    return alerts
        .putRule(AlertRule.of(id, VertxJson.read(JsonTexts.write(rule))), version, action(call))
        .map(changed -> changed(id, changed));
  }

  private Future<Answer> test(ApiCall call) {
    return alerts.sendTest(call.pathValue("channel"), action(call)).map(id -> {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      body.put("alertId", id);
      return Answer.ok(body);
    });
  }

  private Future<Answer> silence(ApiCall call) {
    String id = call.pathValue("ruleId");
    Optional<Instant> until = call.bodyInstant("until");
    Optional<Duration> length = call.bodyDuration("for");
    if (until.isPresent() && length.isPresent()) {
      throw ApiRefusal.invalid("for", "a rule is silenced either for a time or until an instant");
    }
    return alerts.rules().compose(known -> {
      if (known.stream().noneMatch(each -> each.rule().id().equals(id))) {
        throw ApiRefusal.notFound("alert_rule_not_found", "there is no alert rule " + id);
      }
      return length
          .map(each -> alerts.silenceFor(id, each, action(call)))
          .orElseGet(() -> alerts.silence(id, until.orElse(null), action(call)))
          .map(changed -> changed(id, changed));
    });
  }

  private static Answer changed(String id, Optional<Long> version) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", id);
    body.put(
        "version",
        version.orElseThrow(() -> new ApiRefusal(ApiError.of(
            409, "version_conflict", "the rule is there in another version than was expected"))));
    return Answer.ok(body);
  }

  private Future<Answer> remove(ApiCall call) {
    return alerts
        .removeRule(call.pathValue("ruleId"), action(call))
        .map(done -> Answer.ok(JsonNodeFactory.instance.objectNode().put("removed", done)));
  }

  private static ObjectNode alert(Alert alert) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", alert.id());
    body.put("ruleId", alert.ruleId());
    body.put("subject", alert.subject());
    body.put("text", alert.text());
    body.put("state", alert.isOpen() ? "open" : "resolved");
    body.put("openedAt", alert.openedAt().toString());
    body.put("lastSeenAt", alert.lastSeenAt().toString());
    if (alert.resolvedAt() != null) {
      body.put("resolvedAt", alert.resolvedAt().toString());
    }
    body.put("untold", alert.untold());
    return body;
  }

  private ObjectNode rule(StoredRule stored) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", stored.rule().id());
    body.put("version", stored.version());
    body.setAll(JsonTexts.object(VertxJson.of(stored.rule().toJson())));
    body.put("isSilent", stored.rule().isSilentAt(clock.now()));
    OperatorBodies.actor(body, stored.actor());
    body.put("changedAt", stored.changedAt().toString());
    return body;
  }

  private static RunActionOptions action(ApiCall call) {
    return new RunActionOptions()
        .setActor(Actor.operator(call.caller().name()))
        .setReason(call.reason());
  }
}
