package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.CountedPages;
import dev.runlane.console.contract.Pages;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.run.Actor;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.operate.Operator;
import dev.runlane.runtime.task.RunActionOptions;
import io.vertx.core.Future;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the document says of filters that operators keep. */
public final class FilterRoutes {
  private static final String KIND = "saved_filter";
  private static final List<String> COLUMNS = List.of("name", "view", "title", "query");
  private static final List<String> HIDDEN = List.of("title", "query");
  private static final List<String> SHOWN = List.of("name", "title", "query");
  private static final int PAGE = 200;

  /** A query with all that one may ask for but tags. */
  private static final String EVERYTHING =
      "task=any&errorCode=any&failureText=any&status=any&queue=any&concurrencyKey=any"
          + "&idempotencyKey=any&singletonKey=any";

  private final Operator operator;
  private final Masks masks;

  /** Over one runtime's environment, for readers from whom these masks hide. */
  public FilterRoutes(Runlane runlane, Masks masks) {
    operator = runlane.operator();
    this.masks = masks;
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
    return CountedPages.read(
            call,
            mayBeHidden(masks, call.caller()),
            (begin, limit, cursor) -> operator.documents(KIND, limit, cursor))
        .map(page ->
            Pages.page(call, page, document -> masked(filter(document), call.caller()), COLUMNS));
  }

  private Future<Answer> put(ApiCall call) {
    ObjectNode filter = call.body().deepCopy();
    filter.remove("reason");
    for (String field : HIDDEN) {
      if (masks.hidesFrom(call.caller())
          && Masks.MASKED.equals(filter.path(field).textValue())) {
        throw ApiRefusal.invalid(
            field, field + " is " + Masks.MASKED + ": it was hidden from you, and would be lost");
      }
    }
    String name = call.pathValue("name");
    return changedFrom(name, call)
        .compose(expected -> operator.putDocument(
            KIND,
            name,
            expected.orElse(null),
            JsonValues.parseObject("the filter", JsonTexts.write(filter), JsonLimits.PAYLOAD),
            action(call)))
        .map(version -> {
          ObjectNode body = JsonNodeFactory.instance.objectNode();
          body.put("name", name);
          body.put(
              "version",
              version.orElseThrow(() -> new ApiRefusal(ApiError.of(
                  409, "version_conflict", "somebody else has just kept a filter of this name"))));
          return Answer.ok(body);
        });
  }

  /** A removal expects no version: one that is hidden and put under the name at this very moment goes too. */
  private Future<Answer> remove(ApiCall call) {
    String name = call.pathValue("name");
    return changedFrom(name, call)
        .compose(seen -> operator.removeDocument(KIND, name, action(call)))
        .map(done -> Answer.ok(JsonNodeFactory.instance.objectNode().put("removed", done)));
  }

  /**
   * The version that the caller sees under a name, 0 where there is none; empty for who sees all, and needs none. Fails
   * with 403 where it is hidden from the caller, who would put something in place of what they do not know of, or
   * remove that.
   */
  private Future<Optional<Long>> changedFrom(String name, ApiCall call) {
    if (!masks.hidesFrom(call.caller())) {
      return Future.succeededFuture(Optional.empty());
    }
    return kept(name, null).map(found -> {
      if (found.filter(each -> isHidden(each, call.caller())).isPresent()) {
        throw new ApiRefusal(new ApiError(
            403,
            "filter_masked",
            "the filter of this name is hidden from you: it stays as it is, take another name",
            "name",
            null,
            null,
            false));
      }
      return Optional.of(found.map(OperatorDocument::version).orElse(0L));
    });
  }

  private Future<Optional<OperatorDocument>> kept(String name, @Nullable String cursor) {
    return operator.documents(KIND, PAGE, cursor).compose(page -> {
      Optional<OperatorDocument> found =
          page.data().stream().filter(each -> each.name().equals(name)).findFirst();
      return found.isPresent() || page.nextCursor() == null
          ? Future.succeededFuture(found)
          : kept(name, page.nextCursor());
    });
  }

  /** Whether there may be filters whose names are hidden from the caller, with what their queries ask for. */
  static boolean mayBeHidden(Masks masks, Caller caller) {
    return masks.mayHideAnyOf(meant(EVERYTHING).put("name", "any"), "tags", caller);
  }

  private boolean isHidden(OperatorDocument document, Caller caller) {
    ObjectNode all = filter(document);
    ObjectNode seen = masked(all.deepCopy(), caller);
    return SHOWN.stream().anyMatch(field -> !all.path(field).equals(seen.path(field)));
  }

  /** Whose query has a value that is hidden in runs tells nothing of it, nor does the name that people gave it. */
  private ObjectNode masked(ObjectNode filter, Caller caller) {
    if (masks.hidesAnyOf(meant(filter.path("query").asText()), caller)) {
      HIDDEN.forEach(field -> filter.put(field, Masks.MASKED));
      filter.put("name", Masks.MASKED);
    }
    return masks.apply(filter, caller);
  }

  /** The values of a query of the list of runs, where runs have them. */
  private static ObjectNode meant(String query) {
    ObjectNode meant = JsonNodeFactory.instance.objectNode();
    for (String each : query.split("&", -1)) {
      int end = each.indexOf('=');
      String name = decoded(each.substring(0, Math.max(end, 0)));
      String value = decoded(each.substring(end + 1));
      switch (name) {
        case "task" -> meant.put("taskId", value);
        case "errorCode" -> meant.withObjectProperty("failure").put("code", value);
        case "failureText" -> meant.withObjectProperty("failure").put("message", value);
        case "tag" -> {
          int colon = value.indexOf(':');
          meant
              .withObjectProperty("tags")
              .put(value.substring(0, Math.max(colon, 0)), value.substring(colon + 1));
        }
        case "status", "queue", "concurrencyKey", "idempotencyKey", "singletonKey" ->
          meant.put(name, value);
        default -> {} // of the page alone
      }
    }
    return meant;
  }

  /** As it stands where it is nothing that was encoded. */
  private static String decoded(String part) {
    try {
      return URLDecoder.decode(part, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      return part;
    }
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
