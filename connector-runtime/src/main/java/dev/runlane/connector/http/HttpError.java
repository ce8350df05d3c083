package dev.runlane.connector.http;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A refusal as the envelope reports it.
 *
 * @param status the HTTP status
 * @param code the stable reason
 * @param message for people
 * @param param the parameter at fault, or null
 * @param runId the run it is about, or null
 * @param nextEligibleAt when the same request is no longer too early, or null
 */
record HttpError(
    int status,
    String code,
    String message,
    @Nullable String param,
    @Nullable String runId,
    @Nullable Instant nextEligibleAt) {
  HttpError(
      int status, String code, String message, @Nullable String param, @Nullable String runId) {
    this(status, code, message, param, runId, null);
  }

  static HttpError invalid(String param, String message) {
    return new HttpError(400, "invalid_request", message, param, null);
  }

  static HttpError notFound(String param, String message) {
    return new HttpError(404, "not_found", message, param, null);
  }

  /** What a failure is to the caller. Only of refused input is the message handed on. */
  static HttpError of(int status, @Nullable Throwable failure) {
    if (failure instanceof HttpRefusal refusal) {
      return refusal.error();
    }
    if (failure instanceof RunlaneException own) {
      ErrorCode code = own.code();
      if (code == ErrorCode.VALIDATION_FAILED) {
        return new HttpError(400, "invalid_request", own.getMessage() + "", null, null);
      }
      if (code == ErrorCode.CONNECTOR_INVALID) {
        return new HttpError(400, code.value(), own.getMessage() + "", null, null);
      }
      if (code == ErrorCode.STORAGE_UNAVAILABLE) {
        return new HttpError(503, code.value(), "the storage does not answer", null, null);
      }
      if (code == ErrorCode.OPERATION_CANCELLED) {
        return new HttpError(503, code.value(), "the server stops", null, null);
      }
      return new HttpError(500, code.value(), "the request failed", null, null);
    }
    return switch (status) {
      case 400 -> new HttpError(400, "invalid_request", "the request is malformed", null, null);
      case 401 -> new HttpError(401, "unauthorized", "an owner session is needed", null, null);
      case 403 -> new HttpError(403, "forbidden", "the session may not do this", null, null);
      case 404 -> new HttpError(404, "not_found", "there is no such route", null, null);
      case 413 -> new HttpError(413, "resource_limit", "the body is too large", null, null);
      case 415 ->
        new HttpError(
            415, "unsupported_media_type", "the body must be application/json", null, null);
      default ->
        new HttpError(
            status >= 400 && status < 500 ? status : 500,
            status >= 400 && status < 500 ? "invalid_request" : "internal_error",
            "the request failed",
            null,
            null);
    };
  }

  /** The family of the status. */
  String type() {
    return switch (status) {
      case 400, 415 -> "invalid_request_error";
      case 401 -> "authentication_error";
      case 403 -> "permission_error";
      case 404 -> "not_found_error";
      case 410 -> "gone_error";
      case 413 -> "request_entity_too_large_error";
      case 429 -> "rate_limit_error";
      default -> "api_error";
    };
  }
}
