package dev.runlane.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.controller.AnswerResult;
import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.controller.InteractionAnswer;
import dev.runlane.connector.controller.RunView;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.CancelOutcome;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.TimelinePage;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Routes about runs that were started: cancelling, answering, reading. */
final class RunRoutes {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final int USUAL_LIST = 50;
  private static final String RUN_ID = "run_id";

  private final ConnectorController controller;
  private final HttpAnswers answers;
  private final AnswerForwarder forwarder;
  private final OwnerChecks owners;

  RunRoutes(
      ConnectorController controller,
      HttpAnswers answers,
      AnswerForwarder forwarder,
      OwnerChecks owners) {
    this.owners = owners;
    this.controller = controller;
    this.answers = answers;
    this.forwarder = forwarder;
  }

  void mount(Router router) {
    router.post("/runs/:run_id/cancel").handler(this::cancel);
    router.post("/runs/:run_id/interaction").handler(this::answer);
    router.get("/runs/:run_id/timeline").handler(this::timeline);
    router.get("/runs/:run_id/stderr").handler(this::stderr);
    router.get("/runs/:run_id").handler(this::status);
    router.get("/runs").handler(this::list);
  }

  private void cancel(RoutingContext request) {
    String runId = request.pathParam(RUN_ID);
    HttpAnswers.send(
        request, 202, controller.cancel(runId, answers.requestId(request)).map(outcome -> {
          if (outcome instanceof CancelOutcome.NoActiveRun) {
            throw new HttpRefusal(
                new HttpError(404, "no_active_run", "no such run is active", RUN_ID, null));
          }
          if (outcome instanceof CancelOutcome.AlreadyTerminal) {
            throw new HttpRefusal(
                new HttpError(409, "already_terminal", "the run has ended", RUN_ID, runId));
          }
          ObjectNode body = NODES.objectNode();
          body.put("object", "run_cancel_ack");
          body.put(RUN_ID, runId);
          body.put("status", "cancel_requested");
          return body;
        }));
  }

  private void answer(RoutingContext request) {
    String runId = request.pathParam(RUN_ID);
    InteractionAnswer answer = submitted(request);
    controller.answer(runId, answer).onComplete(result -> {
      if (result.failed()) {
        request.fail(result.cause());
      } else if (result.result() instanceof AnswerResult.Elsewhere elsewhere
          && !AnswerForwarder.wasForwarded(request)) {
        forwarder
            .forward(request, elsewhere.address(), runId)
            .onFailure(unreachable -> request.fail(new HttpRefusal(new HttpError(
                503, "run_owner_unreachable", "the run's process does not answer", null, runId))));
      } else {
        HttpAnswers.send(
            request,
            202,
            Future.succeededFuture(result.result())
                .map(outcome -> acknowledged(outcome, runId, answer)));
      }
    });
  }

  private static InteractionAnswer submitted(RoutingContext request) {
    ObjectNode body = HttpBodies.object(request, Set.of("interaction_id", "status", "data"));
    String interactionId = HttpBodies.text(body, "interaction_id");
    InteractionStatus status = InteractionStatus.ofValue(HttpBodies.text(body, "status"))
        .filter(known -> known != InteractionStatus.TIMEOUT)
        .orElseThrow(() -> new HttpRefusal(new HttpError(
            400, "invalid_status", "status must be success or cancelled", "status", null)));
    JsonNode data = body.path("data");
    if (!data.isMissingNode() && !data.isObject()) {
      throw HttpBodies.refusal("data", "data must be an object");
    }
    return new InteractionAnswer(
        interactionId, status, data.isObject() ? Json.ofChecked(data.toString()) : null);
  }

  private static ObjectNode acknowledged(
      AnswerResult result, String runId, InteractionAnswer answer) {
    if (result instanceof AnswerResult.Accepted) {
      ObjectNode body = NODES.objectNode();
      body.put("object", "run_interaction_ack");
      body.put(RUN_ID, runId);
      body.put("interaction_id", answer.interactionId());
      body.put("status", answer.status().value());
      return body;
    }
    if (result instanceof AnswerResult.RunNotFound) {
      throw new HttpRefusal(HttpError.notFound(RUN_ID, "no such run is active"));
    }
    if (result instanceof AnswerResult.NoPeer) {
      throw new HttpRefusal(new HttpError(
          503,
          "run_owner_unknown",
          "the run's process is not at an address that answers are handed on to (peers)",
          null,
          runId));
    }
    boolean other = result instanceof AnswerResult.InteractionMismatch;
    throw new HttpRefusal(new HttpError(
        409,
        other ? "interaction_id_mismatch" : "no_pending_interaction",
        other ? "the run asks something else" : "the run asks nothing",
        other ? "interaction_id" : null,
        runId));
  }

  private void status(RoutingContext request) {
    HttpAnswers.send(
        request,
        200,
        controller
            .find(request.pathParam(RUN_ID))
            .map(view -> RunJson.status(view.orElseThrow(RunRoutes::unknownRun))));
  }

  private void stderr(RoutingContext request) {
    String runId = request.pathParam(RUN_ID);
    List<String> lines = controller
        .stderr(runId)
        .orElseThrow(() -> new HttpRefusal(
            HttpError.notFound(RUN_ID, "no such run has its child in this process")));
    ObjectNode body = NODES.objectNode();
    body.put("object", "run_stderr");
    body.put(RUN_ID, runId);
    ArrayNode data = body.putArray("data");
    lines.forEach(data::add);
    HttpAnswers.send(request, 200, body);
  }

  private void timeline(RoutingContext request) {
    int limit =
        HttpBodies.number(request, "limit", ReadTimeline.DEFAULT_LIMIT, ReadTimeline.MOST_EVENTS);
    long after = cursor(request);
    HttpAnswers.send(request, 200, controller.find(request.pathParam(RUN_ID)).compose(found -> {
      RunView run = found.orElseThrow(RunRoutes::unknownRun);
      return controller
          .timeline()
          .read(new ReadTimeline(run.run().runId(), after, limit))
          .map(page -> timeline(run, page, limit));
    }));
  }

  private static ObjectNode timeline(RunView run, TimelinePage page, int limit) {
    ObjectNode body = NODES.objectNode();
    body.put("object", "run_timeline");
    body.put(RUN_ID, run.run().runId());
    body.put("trace_id", run.run().traceId());
    ArrayNode data = body.putArray("data");
    page.events().forEach(event -> data.add(RunJson.event(event)));
    body.put("event_count", page.events().size());
    body.put("limit", limit);
    List<RecordedEvent> events = page.events();
    body.put(
        "next_cursor",
        page.more() ? Long.toString(events.get(events.size() - 1).sequence()) : null);
    body.put("truncated", page.more());
    body.put("terminal_status", run.terminal().isPresent() ? run.status().value() : null);
    return body;
  }

  /** The newest first; those that are active stand before all others on the first page. */
  private void list(RoutingContext request) {
    String connectorId = query(request, "connector_id");
    String status = query(request, "status");
    int limit = HttpBodies.number(request, "limit", USUAL_LIST, HistoryQuery.MOST_ENTRIES);
    long before = cursor(request);
    Set<RunStatus> statuses = statuses(status);
    boolean withActive = before == 0 && (status == null || status.equals("active"));
    Future<List<ActiveRun>> active =
        withActive ? controller.store().activeRuns().list() : Future.succeededFuture(List.of());
    HistoryQuery query =
        new HistoryQuery(connectorId, statuses, before == 0 ? null : before, limit);
    Future<List<RecordedRun>> ended = "active".equals(status)
        ? Future.succeededFuture(List.of())
        : controller.store().history().list(query);
    Future<List<ActiveRun>> mine =
        active.compose(runs -> owners.only(request, runs, run -> run.run().connector()));
    Future<ObjectNode> body = ended.compose(history -> owners
        .only(request, history, run -> run.entry().run().connector())
        .compose(shown -> mine.map(
            runs -> list(ofConnector(runs, connectorId), shown, nextCursor(query, history)))));
    HttpAnswers.send(request, 200, body);
  }

  private static List<ActiveRun> ofConnector(List<ActiveRun> runs, @Nullable String connectorId) {
    return runs.stream()
        .filter(
            run -> connectorId == null || run.run().connector().connectorId().equals(connectorId))
        .toList();
  }

  private static @Nullable String nextCursor(HistoryQuery query, List<RecordedRun> page) {
    return query.mayHaveMore(page) ? Long.toString(page.get(page.size() - 1).number()) : null;
  }

  private static ObjectNode list(
      List<ActiveRun> active, List<RecordedRun> ended, @Nullable String nextCursor) {
    ObjectNode body = NODES.objectNode();
    body.put("object", "list");
    ArrayNode data = body.putArray("data");
    active.forEach(run -> data.add(RunJson.active(run)));
    ended.forEach(run -> data.add(RunJson.history(run)));
    body.put("next_cursor", nextCursor);
    return body;
  }

  private static Set<RunStatus> statuses(@Nullable String status) {
    if (status == null || status.equals("active")) {
      return Set.of();
    }
    return Arrays.stream(RunStatus.values())
        .filter(known -> known.value().equals(status))
        .findFirst()
        .map(Set::of)
        .orElseThrow(() -> HttpBodies.refusal("status", "status is none that runs have"));
  }

  private static @Nullable String query(RoutingContext request, String name) {
    List<String> values = request.queryParam(name);
    return values.isEmpty() ? null : values.get(0);
  }

  /** A number that an earlier page gave; 0 where there is none. */
  private static long cursor(RoutingContext request) {
    String text = query(request, "cursor");
    if (text == null) {
      return 0;
    }
    try {
      long cursor = Long.parseLong(text);
      if (cursor > 0) {
        return cursor;
      }
    } catch (NumberFormatException notOurs) {
      // reported below
    }
    throw new HttpRefusal(new HttpError(
        400, "invalid_cursor", "cursor must be one that a page gave", "cursor", null));
  }

  private static HttpRefusal unknownRun() {
    return new HttpRefusal(HttpError.notFound(RUN_ID, "there is and was no run with this id"));
  }
}
