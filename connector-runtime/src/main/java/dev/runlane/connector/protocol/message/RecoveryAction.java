package dev.runlane.connector.protocol.message;

import java.util.Arrays;
import java.util.Optional;

/** Who has to do what so that something missing comes back. The string values never change. */
public enum RecoveryAction {
  /** A later run may succeed by itself. */
  RETRY_BY_RUNTIME("retry_by_runtime"),
  /** A newer connector is needed. */
  RETRY_ON_CONNECTOR_UPGRADE("retry_on_connector_upgrade"),
  /** The owner must give credentials anew. */
  REFRESH_CREDENTIALS("refresh_credentials"),
  /** The owner must do something by hand. */
  MANUAL_ACTION_REQUIRED("manual_action_required"),
  /** The source's pages changed. */
  UPDATE_SELECTOR("update_selector"),
  /** The source must let the connector in again. */
  UPSTREAM_UNBLOCK("upstream_unblock"),
  /** Nothing will. */
  NOT_RETRIABLE("not_retriable"),
  /** Nobody knows. */
  UNKNOWN("unknown");

  private final String value;

  RecoveryAction(String value) {
    this.value = value;
  }

  /** The string that is sent and stored. */
  public String value() {
    return value;
  }

  /** The action with this string value, or empty when there is none. */
  public static Optional<RecoveryAction> ofValue(String value) {
    return Arrays.stream(values()).filter(action -> action.value.equals(value)).findFirst();
  }
}
