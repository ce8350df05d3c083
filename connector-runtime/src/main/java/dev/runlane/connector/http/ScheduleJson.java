package dev.runlane.connector.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.schedule.ScheduleView;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How schedules look from outside. */
final class ScheduleJson {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private ScheduleJson() {}

  static ObjectNode of(ScheduleView view) {
    ConnectorSchedule schedule = view.schedule();
    ObjectNode body = NODES.objectNode();
    body.put("object", "schedule");
    body.put("connector_id", schedule.connector().connectorId());
    body.put("connector_instance_id", schedule.connector().instanceId());
    body.put("interval_seconds", schedule.interval().toSeconds());
    body.put("jitter_seconds", schedule.jitter().toSeconds());
    body.put("enabled", schedule.enabled());
    body.put("grant_id", schedule.grantId());
    body.put("created_at", schedule.createdAt().toString());
    body.put("updated_at", schedule.updatedAt().toString());
    body.put("effective_mode", view.effectiveMode().value());
    body.put("ineligibility_reason", view.ineligibilityReason());
    body.set("recommended_policy", policy(view.recommendedPolicy()));
    body.put("minimum_interval_warning", view.minimumIntervalWarning());
    body.put("active_run_id", view.activeRunId());
    body.put("last_started_at", text(view.stats().lastStartedAt()));
    body.put("last_finished_at", text(view.stats().lastFinishedAt()));
    body.put("last_successful_at", text(view.stats().lastSuccessfulAt()));
    body.put("last_error_code", view.lastErrorCode());
    body.put("next_due_at", text(view.nextDueAt()));
    body.put("human_attention_needed", view.humanAttentionNeeded());
    body.put("automation_mode", view.automationMode().value());
    body.put("automation_summary", summary(view));
    body.put("notification_posture", view.humanAttentionNeeded() ? "needs_owner" : "quiet");
    body.put("trigger_kind", "scheduled");
    body.set("scheduler_backoff", backoff(view));
    return body;
  }

  /** What a manifest recommends; absent members are left out. */
  static @Nullable ObjectNode policy(@Nullable RefreshPolicy policy) {
    if (policy == null) {
      return null;
    }
    ObjectNode body = NODES.objectNode();
    body.put("recommended_mode", policy.recommendedMode().value());
    body.put("rationale", policy.rationale());
    seconds(body, "recommended_interval_seconds", policy.recommendedInterval());
    seconds(body, "minimum_interval_seconds", policy.minimumInterval());
    seconds(body, "maximum_staleness_seconds", policy.maximumStaleness());
    seconds(body, "session_lifetime_seconds", policy.sessionLifetime());
    if (policy.interactionPosture() != null) {
      body.put("interaction_posture", policy.interactionPosture());
    }
    if (policy.backgroundSafe() != null) {
      body.put("background_safe", policy.backgroundSafe());
    }
    if (policy.assistedAfterOwnerAuth() != null) {
      body.put("assisted_after_owner_auth", policy.assistedAfterOwnerAuth());
    }
    return body;
  }

  private static ObjectNode backoff(ScheduleView view) {
    ObjectNode body = NODES.objectNode();
    body.put("backoff_applied", view.isBackedOff());
    body.put("consecutive_failures", view.streak().length());
    body.put("next_run_at", view.isBackedOff() ? text(view.nextDueAt()) : null);
    body.put("reason_class", view.streak().reason());
    body.put("recommended_health_state", view.isBackedOff() ? "degraded" : "healthy");
    return body;
  }

  private static String summary(ScheduleView view) {
    if (view.ineligibilityReason() != null) {
      return "Starts no runs by itself: " + view.ineligibilityReason();
    }
    return view.automationMode() == AutomationMode.UNATTENDED
        ? "Runs by itself."
        : "Runs by itself and may ask its owner.";
  }

  private static void seconds(ObjectNode body, String member, @Nullable Duration duration) {
    if (duration != null) {
      body.put(member, duration.toSeconds());
    }
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
