package dev.runlane.connector.protocol.message;

/**
 * What may bring back what is missing.
 *
 * @param action who has to do what
 * @param retryable whether a later run may find it by itself
 */
public record RecoveryHint(RecoveryAction action, boolean retryable) {
  /** The hint of an action alone: only {@link RecoveryAction#RETRY_BY_RUNTIME} is retryable. */
  public static RecoveryHint of(RecoveryAction action) {
    return new RecoveryHint(action, action == RecoveryAction.RETRY_BY_RUNTIME);
  }
}
