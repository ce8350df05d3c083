package dev.runlane.connectorkit.message;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Why a run failed, as DONE reports it. Thrown by a {@link dev.runlane.connectorkit.ConnectorBody ConnectorBody};
 * immutable.
 *
 * <p>Code and message are stored with the run and shown to its owner: no secret belongs there.
 */
public class ConnectorFailure extends RuntimeException {

  private static final long serialVersionUID = 1;
  private static final Pattern CODE = Pattern.compile("[a-z][a-z0-9_]{0,63}");

  private final String code;
  private final @Nullable Boolean retryable;
  private final @Nullable RecoveryAction recoveryAction;

  /**
   * A failure that does not say whether another try may help.
   *
   * @param code lower-case letters, digits and underscores, a letter first, at most 64
   * @param message in words; where it is blank, the code stands for it
   */
  public ConnectorFailure(String code, String message) {
    this(code, message, null, null, null);
  }

  private ConnectorFailure(
      String code,
      String message,
      @Nullable Boolean retryable,
      @Nullable RecoveryAction recoveryAction,
      @Nullable Throwable cause) {
    super(saying(message, code), cause);
    if (!CODE.matcher(code).matches()) {
      throw new IllegalArgumentException(
          "a code is lower-case letters, digits and underscores, at most 64; found " + code);
    }
    this.code = code;
    this.retryable = retryable;
    this.recoveryAction = recoveryAction;
  }

  /** A failure that another try may not meet: the scheduler retries it. */
  public static ConnectorFailure retryable(String code, String message) {
    return new ConnectorFailure(code, message, true, RecoveryAction.RETRY_BY_RUNTIME, null);
  }

  /** A failure that every try would meet until {@code action} was taken: it is not retried. */
  public static ConnectorFailure permanent(String code, String message, RecoveryAction action) {
    return new ConnectorFailure(code, message, false, action, null);
  }

  /** The same failure with what led to it, which goes to standard error and not into DONE. */
  public ConnectorFailure causedBy(Throwable cause) {
    return new ConnectorFailure(
        code, String.valueOf(getMessage()), retryable, recoveryAction, cause);
  }

  /** The runtime refuses a message without words, and a refusal is never tried again. */
  private static String saying(@Nullable String message, String code) {
    return message == null || message.isBlank() ? code : message;
  }

  /** The code that DONE carries. */
  public final String code() {
    return code;
  }

  /** Null where the connector does not know. */
  public final @Nullable Boolean retryable() {
    return retryable;
  }

  /** What would mend it; null where that is not known. */
  public final @Nullable RecoveryAction recoveryAction() {
    return recoveryAction;
  }
}
