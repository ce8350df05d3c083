package dev.runlane.connector.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes answers, and refusals in the one envelope. */
final class HttpAnswers {
  private static final Logger LOG = LoggerFactory.getLogger(HttpAnswers.class);
  private static final String REQUEST_ID = "runlane.requestId";
  private static final String SHOWN = "runlane.shown"; // of who lets callers through
  static final String MASKED = "[masked]";
  private static final int TOKEN_PREFIX = "tok_".length();

  private final Ids ids;

  HttpAnswers(Ids ids) {
    this.ids = ids;
  }

  /** Names the request; called first. */
  void name(RoutingContext request) {
    requestId(request);
    request.next();
  }

  String requestId(RoutingContext request) {
    String id = request.get(REQUEST_ID);
    if (id == null) {
      id = "req_" + ids.token().substring(TOKEN_PREFIX);
      request.put(REQUEST_ID, id);
    }
    return id;
  }

  /** Whether who lets callers through hides something of answers from this one: then they see {@value #MASKED}. */
  static boolean isMasked(RoutingContext request) {
    return request.get(SHOWN) != null;
  }

  static void send(RoutingContext request, int status, ObjectNode body) {
    UnaryOperator<ObjectNode> shown = request.get(SHOWN);
    ObjectNode told = shown == null ? body : shown.apply(body.deepCopy());
    request
        .response()
        .setStatusCode(status)
        .putHeader("content-type", "application/json")
        .putHeader("cache-control", "no-store")
        .end(told.toString());
  }

  /** Sends the body once it is there; a failure goes to the failure handler. */
  static void send(RoutingContext request, int status, Future<ObjectNode> body) {
    body.onSuccess(made -> send(request, status, made)).onFailure(request::fail);
  }

  /** Says 204 where something was deleted, else that there was nothing. */
  static void deleted(RoutingContext request, Future<Boolean> deleted, HttpRefusal otherwise) {
    deleted
        .onSuccess(was -> {
          if (was) {
            request.response().setStatusCode(204).end();
          } else {
            request.fail(otherwise);
          }
        })
        .onFailure(request::fail);
  }

  /** The failure handler of all routes. */
  void fail(RoutingContext request) {
    HttpError error = HttpError.of(request.statusCode(), request.failure());
    if (error.status() >= 500) {
      LOG.error(
          "{} {} failed, request {}",
          request.request().method(),
          request.currentRoute() == null ? "" : request.currentRoute().getPath(),
          requestId(request),
          request.failure());
    }
    if (request.response().ended()) {
      return;
    }
    send(request, error.status(), envelope(request, error));
  }

  private ObjectNode envelope(RoutingContext request, HttpError error) {
    ObjectNode envelope = JsonNodeFactory.instance.objectNode();
    ObjectNode told = envelope.putObject("error");
    told.put("type", error.type());
    told.put("code", error.code());
    told.put("message", error.message());
    if (error.param() != null) {
      told.put("param", error.param());
    }
    if (error.runId() != null) {
      told.put("run_id", error.runId());
    }
    if (error.nextEligibleAt() != null) {
      told.put("next_eligible_at", error.nextEligibleAt().toString());
    }
    told.put("request_id", requestId(request));
    return envelope;
  }
}
