package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.Pages;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.run.Actor;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.operate.Operator;
import dev.runlane.runtime.task.RunActionOptions;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the document says of filters that operators keep. */
public final class FilterRoutes {
  private static final String KIND = "saved_filter";
  private static final List<String> COLUMNS = List.of("name", "view", "title", "query");

  private final Operator operator;

  /** Over one runtime's environment. */
  public FilterRoutes(Runlane runlane) {
    operator = runlane.operator();
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put("listSavedFilters", this::list);
    handlers.put("putSavedFilter", this::put);
    handlers.put("removeSavedFilter", this::remove);
    return handlers;
  }

  private Future<Answer> list(ApiCall call) {
    return operator
        .documents(KIND, call.number("limit").orElse(null), call.one("cursor").orElse(null))
        .map(page -> Pages.page(call, page, FilterRoutes::filter, COLUMNS));
  }

  private Future<Answer> put(ApiCall call) {
    ObjectNode filter = call.body().deepCopy();
    filter.remove("reason");
    String name = call.pathValue("name");
    return operator
        .putDocument(
            KIND,
            name,
            null,
            JsonValues.parseObject("the filter", JsonTexts.write(filter), JsonLimits.PAYLOAD),
            action(call))
        .map(version -> {
          ObjectNode body = JsonNodeFactory.instance.objectNode();
          body.put("name", name);
          body.put("version", version.orElseThrow());
          return Answer.ok(body);
        });
  }

  private Future<Answer> remove(ApiCall call) {
    return operator
        .removeDocument(KIND, call.pathValue("name"), action(call))
        .map(done -> Answer.ok(JsonNodeFactory.instance.objectNode().put("removed", done)));
  }

  private static ObjectNode filter(OperatorDocument document) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("name", document.name());
    body.put("version", document.version());
    body.setAll(JsonTexts.object(document.content()));
    OperatorBodies.actor(body, document.actor());
    body.put("changedAt", document.changedAt().toString());
    return body;
  }

  private static RunActionOptions action(ApiCall call) {
    RunActionOptions options =
        new RunActionOptions().setActor(Actor.operator(call.caller().name()));
    return call.reason().isEmpty() ? options : options.setReason(call.reason());
  }
}
