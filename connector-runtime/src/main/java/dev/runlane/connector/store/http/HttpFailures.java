package dev.runlane.connector.store.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.SinkFailure.Origin;
import dev.runlane.connector.store.record.SinkFailure.Phase;
import java.util.Optional;
import java.util.regex.Pattern;

/** What an answer that is no success means, and a call that got none. */
final class HttpFailures {
  static final String RESPONSE_INVALID = "ingest_response_invalid";
  static final String COUNTS_WRONG = "ingest_envelope_contract_violation";
  static final String RESOURCE_LIMIT = "resource_limit";
  static final String NOT_FOUND = "not_found";

  private static final String HTTP_ERROR = "ingest_http_error";
  private static final String AUTHENTICATION = "authentication_error";
  private static final Pattern CODE = Pattern.compile("[a-z][a-z0-9_]{0,63}");
  private static final int MOST_CONTENT_TYPE = 200;

  private HttpFailures() {}

  static SinkFailure of(HttpAnswer answer, Phase phase) {
    int status = answer.status();
    String reason = reason(answer);
    boolean passing = status == 429 || status >= 500;
    return failure(answer, phase, reason, passing, "the resource server answered " + status);
  }

  private static String reason(HttpAnswer answer) {
    int status = answer.status();
    if (status == 401) {
      return AUTHENTICATION;
    }
    if (status < 400 || status >= 500) {
      return HTTP_ERROR;
    }
    String otherwise =
        status == 403 ? "permission_error" : status == 429 ? "rate_limit_error" : HTTP_ERROR;
    return code(answer).orElse(otherwise);
  }

  /** The code of an error envelope, where it looks like one. */
  static Optional<String> code(HttpAnswer answer) {
    return JsonBodies.object(answer)
        .map(body -> body.path("error").path("code"))
        .filter(JsonNode::isTextual)
        .map(JsonNode::textValue)
        .filter(code -> CODE.matcher(code).matches());
  }

  /** A code of the server's, or a word for one that does not look like a code. */
  static String bounded(String code) {
    return CODE.matcher(code).matches() ? code : "rejected";
  }

  /** A success that is none: it does not say what it must. */
  static SinkFailure invalid(HttpAnswer answer, Phase phase, String reason) {
    return failure(
        answer, phase, reason, false, "the resource server's answer is not what it promises");
  }

  /** No answer came: whether the call had an effect is not known. */
  static SinkFailure unanswered(Throwable failure, Phase phase) {
    boolean noToken = failure instanceof HttpCalls.NoTokenException;
    return new SinkFailure(
        noToken ? AUTHENTICATION : HTTP_ERROR,
        phase,
        Origin.TRANSPORT,
        null,
        null,
        null,
        !noToken,
        noToken
            ? "there is no usable bearer token"
            : "no answer from the resource server: " + failure.getClass().getSimpleName());
  }

  /** The call is larger than the server takes, so it is not made. */
  static SinkFailure tooLarge(Phase phase, long bytes, long most) {
    return new SinkFailure(
        RESOURCE_LIMIT,
        phase,
        Origin.TRANSPORT,
        null,
        null,
        null,
        false,
        "a request of " + bytes + " bytes is larger than the " + most + " that are allowed");
  }

  private static SinkFailure failure(
      HttpAnswer answer, Phase phase, String reason, boolean passing, String message) {
    String type = answer.contentType();
    return new SinkFailure(
        reason,
        phase,
        Origin.TRANSPORT,
        answer.status(),
        type == null || type.length() <= MOST_CONTENT_TYPE
            ? type
            : type.substring(0, MOST_CONTENT_TYPE),
        answer.bodyBytes(),
        passing,
        message);
  }
}
