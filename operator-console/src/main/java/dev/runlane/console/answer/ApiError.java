package dev.runlane.console.answer;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.ext.web.handler.HttpException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A refusal or failure as the envelope tells it.
 *
 * @param status the HTTP status
 * @param code the stable reason
 * @param message for people
 * @param param the parameter or field at fault, or null
 * @param conflictKind which race was lost, or null
 * @param runId the run it is about, or null
 * @param retryable whether the same request may succeed later
 */
public record ApiError(
    int status,
    String code,
    String message,
    @Nullable String param,
    @Nullable String conflictKind,
    @Nullable String runId,
    boolean retryable) {
  private static final Map<ErrorCode, Integer> STATUSES = Map.ofEntries(
      Map.entry(ErrorCode.VALIDATION_FAILED, 400),
      Map.entry(ErrorCode.CONFIGURATION_INVALID, 400),
      Map.entry(ErrorCode.CONNECTOR_INVALID, 400),
      Map.entry(ErrorCode.RUN_NOT_FOUND, 404),
      Map.entry(ErrorCode.JOB_NOT_FOUND, 404),
      Map.entry(ErrorCode.TASK_NOT_FOUND, 404),
      Map.entry(ErrorCode.SCHEDULE_NOT_FOUND, 404),
      Map.entry(ErrorCode.STORAGE_CONFLICT, 409),
      Map.entry(ErrorCode.CAPABILITY_UNSUPPORTED, 501),
      Map.entry(ErrorCode.STORAGE_UNAVAILABLE, 503),
      Map.entry(ErrorCode.TRANSPORT_UNAVAILABLE, 503),
      Map.entry(ErrorCode.OPERATION_CANCELLED, 503));

  /** An error about nothing in particular. */
  public static ApiError of(int status, String code, String message) {
    return new ApiError(status, code, message, null, null, null, status == 429 || status == 503);
  }

  /** Malformed input. */
  public static ApiError invalid(String param, String message) {
    return new ApiError(400, "validation_failed", message, param, null, null, false);
  }

  /** What a failure is to the caller, or what the status alone says where there is none of ours. */
  public static ApiError of(int status, @Nullable Throwable failure) {
    if (failure instanceof ApiRefusal refusal) {
      return refusal.error();
    }
    if (failure instanceof RunlaneException own) {
      return of(own);
    }
    if (failure instanceof HttpException http) {
      return ofStatus(http.getStatusCode());
    }
    return ofStatus(status);
  }

  /** Messages of outages and of our own faults are for the log. */
  private static ApiError of(RunlaneException own) {
    int status = STATUSES.getOrDefault(own.code(), 500);
    String message =
        switch (status) {
          case 500 -> "the request failed";
          case 503 -> "what the request needs does not answer";
          default -> String.valueOf(own.getMessage());
        };
    return new ApiError(
        status,
        own.code().value(),
        message,
        null,
        own.conflictKind().map(StorageConflictKind::value).orElse(null),
        own.meta().get(RunlaneException.OWNER_RUN_ID),
        own.isRetryable());
  }

  private static ApiError ofStatus(int status) {
    return switch (status) {
      case 400 -> of(400, "invalid_request", "the request is malformed");
      case 401 -> of(401, "unauthorized", "a valid token is needed");
      case 403 -> of(403, "forbidden", "this may not be done");
      case 404 -> of(404, "not_found", "there is no such route");
      case 405 -> of(405, "method_not_allowed", "the route does not know this method");
      case 413 -> of(413, "resource_limit", "the body is too large");
      case 415 -> of(415, "unsupported_media_type", "the body must be application/json");
      default ->
        status > 400 && status < 500
            ? of(status, "invalid_request", "the request is malformed")
            : of(500, ErrorCode.INTERNAL_ERROR.value(), "the request failed");
    };
  }

  /** The family of the status. */
  public String type() {
    return switch (status) {
      case 400 -> "invalid_request_error";
      case 401 -> "authentication_error";
      case 403 -> "permission_error";
      case 404 -> "not_found_error";
      case 410 -> "gone_error";
      case 413 -> "request_entity_too_large_error";
      case 429 -> "rate_limit_error";
      default -> "api_error";
    };
  }

  /** The body that says so. */
  public ObjectNode envelope(String requestId) {
    ObjectNode envelope = JsonNodeFactory.instance.objectNode();
    ObjectNode told = envelope.putObject("error");
    told.put("type", type());
    told.put("code", code);
    told.put("message", message);
    if (param != null) {
      told.put("param", param);
    }
    if (conflictKind != null) {
      told.put("conflict_kind", conflictKind);
    }
    if (runId != null) {
      told.put("run_id", runId);
    }
    if (retryable) {
      told.put("retryable", true);
    }
    told.put("request_id", requestId);
    return envelope;
  }
}
