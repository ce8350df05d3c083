package dev.runlane.run;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one exception of Runlane. Callers branch on {@link #code()}, on {@link #isRetryable()} and, for
 * conflicts, on {@link #conflictKind()}; the message is for people and may change. Instances are
 * immutable and made by the static factories.
 */
public final class RunlaneException extends RuntimeException {
  /** The key in {@link #meta()} that holds the {@link StorageConflictKind#value()} of a conflict. */
  public static final String CONFLICT_KIND = "storageConflictKind";

  /** The key in {@link #meta()} that names the run owning the key a conflict was about. */
  public static final String OWNER_RUN_ID = "ownerRunId";

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final boolean retryable;
  private final LinkedHashMap<String, String> meta; // a type that can be serialised

  private RunlaneException(
      ErrorCode code,
      boolean retryable,
      String message,
      Map<String, String> meta,
      @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.retryable = retryable;
    this.meta = new LinkedHashMap<>(meta);
    if (code == ErrorCode.STORAGE_CONFLICT && conflictKind().isEmpty()) {
      throw new IllegalStateException("a storage conflict is made by conflict(kind, ...)");
    }
  }

  /** A lost race; retryable, because reading again and deciding again may succeed. */
  public static RunlaneException conflict(StorageConflictKind kind, String format, Object... args) {
    return new RunlaneException(
        ErrorCode.STORAGE_CONFLICT,
        true,
        text(format, args),
        Map.of(CONFLICT_KIND, kind.value()),
        null);
  }

  /** Durable state or a projection that cannot be; never retryable. */
  public static RunlaneException invariantViolation(String format, Object... args) {
    return of(ErrorCode.INVARIANT_VIOLATION, format, args);
  }

  /** A broken promise between an adapter and its caller; never retryable. */
  public static RunlaneException adapterContractViolation(String format, Object... args) {
    return of(ErrorCode.ADAPTER_CONTRACT_VIOLATION, format, args);
  }

  /** Something malformed that was found while building; never retryable. */
  public static RunlaneException configurationInvalid(String format, Object... args) {
    return of(ErrorCode.CONFIGURATION_INVALID, format, args);
  }

  /** Invalid public input; never retryable. */
  public static RunlaneException validationFailed(String format, Object... args) {
    return of(ErrorCode.VALIDATION_FAILED, format, args);
  }

  /**
   * A failure with any code but {@link ErrorCode#STORAGE_CONFLICT}, for which there is {@link
   * #conflict}; not retryable and without a cause.
   */
  public static RunlaneException of(ErrorCode code, String format, Object... args) {
    return new RunlaneException(code, false, text(format, args), Map.of(), null);
  }

  /** A backend outage; retryable, with the driver's failure as cause for the server's log. */
  public static RunlaneException unavailable(
      ErrorCode code, @Nullable Throwable cause, String format, Object... args) {
    return new RunlaneException(code, true, text(format, args), Map.of(), cause);
  }

  /** The same failure with one more entry of structured meta. */
  public RunlaneException withMeta(String key, String value) {
    Map<String, String> extended = new LinkedHashMap<>(meta);
    extended.put(key, value);
    return copy(retryable, extended, getCause());
  }

  /** The same failure, caused by {@code cause}. */
  public RunlaneException causedBy(Throwable cause) {
    return copy(retryable, meta, cause);
  }

  /** The same failure, marked as one that may go away by itself. */
  public RunlaneException asRetryable() {
    return copy(true, meta, getCause());
  }

  /** The same failure, marked as one that will not go away by itself. */
  public RunlaneException asNotRetryable() {
    return copy(false, meta, getCause());
  }

  /** The stable reason. */
  public ErrorCode code() {
    return code;
  }

  /** Whether trying again may succeed. Set for each failure; the code does not imply it. */
  public boolean isRetryable() {
    return retryable;
  }

  /** Structured details, never secrets or payloads; unmodifiable. */
  public Map<String, String> meta() {
    return Collections.unmodifiableMap(meta);
  }

  /** The race that was lost, or empty when this is not a {@link ErrorCode#STORAGE_CONFLICT}. */
  public Optional<StorageConflictKind> conflictKind() {
    String kind = meta.get(CONFLICT_KIND);
    for (StorageConflictKind candidate : StorageConflictKind.values()) {
      if (candidate.value().equals(kind)) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  /** Whether this is a conflict of the given kind. */
  public boolean isConflict(StorageConflictKind kind) {
    return kind.value().equals(meta.get(CONFLICT_KIND));
  }

  private RunlaneException copy(
      boolean newRetryable, Map<String, String> newMeta, @Nullable Throwable newCause) {
    RunlaneException copy =
        new RunlaneException(code, newRetryable, String.valueOf(getMessage()), newMeta, newCause);
    copy.setStackTrace(getStackTrace()); // where it failed, not where something was added
    return copy;
  }

  private static String text(String format, Object... args) {
    return args.length == 0 ? format : String.format(Locale.ROOT, format, args);
  }
}
