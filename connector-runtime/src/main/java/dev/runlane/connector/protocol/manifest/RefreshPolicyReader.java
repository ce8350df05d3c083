package dev.runlane.connector.protocol.manifest;

import static dev.runlane.connector.protocol.manifest.ManifestReader.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connector.protocol.text.Texts;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the refresh policy of a manifest. */
final class RefreshPolicyReader {
  private static final Set<String> SENSITIVITIES = Set.of("low", "medium", "high");
  private static final Set<String> POSTURES =
      Set.of("none", "credentials", "otp_likely", "manual_action_likely");
  private static final Set<String> KNOWN = Set.of(
      "recommended_mode",
      "rationale",
      "recommended_interval_seconds",
      "minimum_interval_seconds",
      "maximum_staleness_seconds",
      "session_lifetime_seconds",
      "interaction_posture",
      "rate_limit_sensitivity",
      "bot_detection_sensitivity",
      "background_safe",
      "assisted_after_owner_auth",
      "max_cooldown_cycles",
      "max_recovery_attempts");

  private final JsonNode policy;

  private RefreshPolicyReader(JsonNode policy) {
    this.policy = policy;
  }

  static @Nullable RefreshPolicy read(JsonNode policy) {
    if (policy.isMissingNode() || policy.isNull()) {
      return null;
    }
    if (!policy.isObject()) {
      throw invalid("refresh_policy must be an object");
    }
    policy.fieldNames().forEachRemaining(name -> {
      if (!KNOWN.contains(name)) {
        throw invalid("refresh_policy has an unknown member %s", Texts.cut(name, 100));
      }
    });
    return new RefreshPolicyReader(policy).policy();
  }

  private RefreshPolicy policy() {
    Duration recommended = seconds("recommended_interval_seconds");
    Duration minimum = seconds("minimum_interval_seconds");
    if (recommended != null && minimum != null && recommended.compareTo(minimum) < 0) {
      throw invalid("recommended_interval_seconds must not be below minimum_interval_seconds");
    }
    return new RefreshPolicy(
        RefreshPolicy.Mode.ofValue(ManifestReader.text(policy, "recommended_mode"))
            .orElseThrow(() -> invalid("recommended_mode must be automatic, manual or paused")),
        ManifestReader.text(policy, "rationale"),
        recommended,
        minimum,
        seconds("maximum_staleness_seconds"),
        seconds("session_lifetime_seconds"),
        oneOf("interaction_posture", POSTURES),
        oneOf("rate_limit_sensitivity", SENSITIVITIES),
        oneOf("bot_detection_sensitivity", SENSITIVITIES),
        flag("background_safe"),
        flag("assisted_after_owner_auth"),
        count("max_cooldown_cycles", 24),
        count("max_recovery_attempts", 20));
  }

  private @Nullable Duration seconds(String name) {
    Integer seconds = count(name, Integer.MAX_VALUE);
    return seconds == null ? null : Duration.ofSeconds(seconds);
  }

  private @Nullable Integer count(String name, int most) {
    JsonNode value = policy.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return null;
    }
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      throw invalid("%s must be a whole number from 1 to %d", name, most);
    }
    if (value.intValue() < 1 || value.intValue() > most) {
      throw invalid("%s must be from 1 to %d", name, most);
    }
    return value.intValue();
  }

  private @Nullable String oneOf(String name, Set<String> values) {
    String value = ManifestReader.optionalText(policy, name);
    if (value != null && !values.contains(value)) {
      throw invalid("%s must be one of %s", name, values.stream().sorted().toList());
    }
    return value;
  }

  private @Nullable Boolean flag(String name) {
    JsonNode value = policy.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return null;
    }
    if (!value.isBoolean()) {
      throw invalid("%s must be true or false", name);
    }
    return value.booleanValue();
  }
}
