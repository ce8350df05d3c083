package dev.runlane.client.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What came back.
 *
 * @param status of HTTP
 * @param body as JSON; null: it is none
 */
record ApiAnswer(int status, @Nullable JsonNode body) {
  private static final int LONGEST_MESSAGE = 2_000;

  static ApiAnswer of(HttpClientResponse response, Buffer bytes) {
    return new ApiAnswer(response.statusCode(), ApiJson.read(bytes).orElse(null));
  }

  /** The body of a success; else throws what the envelope tells. */
  JsonNode json() {
    if (status >= 200 && status < 300) {
      if (body == null) {
        throw RunlaneException.of(
            ErrorCode.ADAPTER_CONTRACT_VIOLATION,
            "what answers there is no operator API: the answer is no JSON");
      }
      return body;
    }
    throw failure();
  }

  private RunlaneException failure() {
    JsonNode error = body == null ? null : body.path("error");
    if (error == null || !error.path("code").isTextual()) {
      return withoutEnvelope();
    }
    String code = error.path("code").asText();
    String message = message(error);
    RunlaneException failure = ErrorCode.ofValue(code)
        .map(known -> known(known, error, message))
        .orElseGet(() -> other(code, message).withMeta(ApiCalls.API_CODE, code));
    if (error.path("request_id").isTextual()) {
      failure = failure.withMeta("requestId", error.path("request_id").asText());
    }
    if (error.path("param").isTextual()) {
      failure = failure.withMeta("param", error.path("param").asText());
    }
    return error.path("retryable").asBoolean(false)
        ? failure.asRetryable()
        : failure.asNotRetryable();
  }

  private static String message(JsonNode error) {
    String message = error.path("message").asText("");
    return message.substring(0, Math.min(message.length(), LONGEST_MESSAGE));
  }

  private static RunlaneException known(ErrorCode code, JsonNode error, String message) {
    RunlaneException failure = code == ErrorCode.STORAGE_CONFLICT
        ? conflict(error.path("conflict_kind").asText(""), message)
        : RunlaneException.of(code, "%s", message);
    return error.path("run_id").isTextual()
        ? failure.withMeta(RunlaneException.OWNER_RUN_ID, error.path("run_id").asText())
        : failure;
  }

  /** A conflict of a kind that this release does not know is one that may be tried again, and no more. */
  private static RunlaneException conflict(String kind, String message) {
    Optional<StorageConflictKind> known = Arrays.stream(StorageConflictKind.values())
        .filter(each -> each.value().equals(kind))
        .findFirst();
    return known
        .map(each -> RunlaneException.conflict(each, "%s", message))
        .orElseGet(() -> RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "%s", message)
            .withMeta(RunlaneException.CONFLICT_KIND, kind));
  }

  /** Codes of the API alone: who asks, and how. */
  private RunlaneException other(String code, String message) {
    return switch (status) {
      case 401 ->
        RunlaneException.configurationInvalid("the server does not know the token: %s", message);
      case 403 -> RunlaneException.configurationInvalid("the token may not do this: %s", message);
      case 404, 405, 501 ->
        RunlaneException.of(ErrorCode.CAPABILITY_UNSUPPORTED, "%s (%s)", message, code);
      case 429, 502, 503, 504 ->
        RunlaneException.of(ErrorCode.TRANSPORT_UNAVAILABLE, "%s (%s)", message, code);
      default ->
        status >= 500
            ? RunlaneException.of(ErrorCode.INTERNAL_ERROR, "%s (%s)", message, code)
            : RunlaneException.validationFailed("%s (%s)", message, code);
    };
  }

  /** Somebody else answers, such as a proxy. */
  private RunlaneException withoutEnvelope() {
    if (status == 429 || status == 502 || status == 503 || status == 504) {
      return RunlaneException.unavailable(
          ErrorCode.TRANSPORT_UNAVAILABLE, null, "a proxy answers with status %d", status);
    }
    return RunlaneException.of(
        ErrorCode.ADAPTER_CONTRACT_VIOLATION,
        "what answers there is no operator API: status %d without an envelope",
        status);
  }
}
