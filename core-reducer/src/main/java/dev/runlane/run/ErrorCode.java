package dev.runlane.run;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The stable reason of a failure: what callers branch on, in Java, in stored failures and over HTTP.
 * The string values never change.
 */
public enum ErrorCode {
  /** An adapter or its caller broke the boundary between them. */
  ADAPTER_CONTRACT_VIOLATION("adapter_contract_violation"),
  /** The lane does not promise what was asked of it. */
  CAPABILITY_UNSUPPORTED("capability_unsupported"),
  /** Options, tasks, queues, lanes or a runtime were built from something malformed. */
  CONFIGURATION_INVALID("configuration_invalid"),
  /** The manifest of a connector cannot be used. */
  CONNECTOR_INVALID("connector_invalid"),
  /** A failure of the framework that nothing else describes. */
  INTERNAL_ERROR("internal_error"),
  /** Durable state, or a projection of it, is impossible. */
  INVARIANT_VIOLATION("invariant_violation"),
  /** A call names a job that does not exist. */
  JOB_NOT_FOUND("job_not_found"),
  /** The operation was given up before it completed. */
  OPERATION_CANCELLED("operation_cancelled"),
  /** A command names a run that does not exist. */
  RUN_NOT_FOUND("run_not_found"),
  /** A command names a schedule occurrence that does not exist. */
  SCHEDULE_NOT_FOUND("schedule_not_found"),
  /** A race for a sequence, an ownership or a claim was lost; see {@link StorageConflictKind}. */
  STORAGE_CONFLICT("storage_conflict"),
  /** The storage backend cannot be reached or refuses to work. */
  STORAGE_UNAVAILABLE("storage_unavailable"),
  /** User code failed. */
  TASK_FAILED("task_failed"),
  /** The task of a run is not registered in this runtime. */
  TASK_NOT_FOUND("task_not_found"),
  /** The transport can be reached, but refused a wakeup. */
  TRANSPORT_PUBLISH_FAILED("transport_publish_failed"),
  /** The transport cannot be reached. */
  TRANSPORT_UNAVAILABLE("transport_unavailable"),
  /** Public input is invalid. */
  VALIDATION_FAILED("validation_failed");

  private static final Map<String, ErrorCode> BY_VALUE = Arrays.stream(values())
      .collect(Collectors.toUnmodifiableMap(ErrorCode::value, Function.identity()));

  private final String value;

  ErrorCode(String value) {
    this.value = value;
  }

  /** The string that is stored and sent, such as {@code storage_conflict}. */
  public String value() {
    return value;
  }

  /** The code with this string value, or empty when there is none. */
  public static Optional<ErrorCode> ofValue(String value) {
    return Optional.ofNullable(BY_VALUE.get(value));
  }
}
