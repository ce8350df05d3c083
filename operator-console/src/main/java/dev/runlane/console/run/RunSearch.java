package dev.runlane.console.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.answer.Answer;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Finds runs by what no index has, and counts them by status. Both look at a bounded number of runs, newest first, and
 * say at how many.
 */
final class RunSearch {
  /** How many runs a search looks at before it answers. */
  static final int LOOKED_AT = 5_000;

  /** Up to how many runs of a status are counted. */
  static final int COUNTED = 1_000;

  private static final int PAGE = 200;

  private final Runs runs;
  private final RunBodies bodies;

  RunSearch(Runs runs, RunBodies bodies) {
    this.runs = runs;
    this.bodies = bodies;
  }

  /** The runs of a filter whose failure has this code and text; both as the caller may see them. */
  Future<Answer> search(RunFilter filter, Wanted wanted, @Nullable String cursor, Caller caller) {
    return look(new Looking(filter, wanted, caller), cursor);
  }

  private Future<Answer> look(Looking looking, @Nullable String cursor) {
    return runs.list(looking.filter, RunSort.NEWEST_FIRST, PAGE, cursor)
        .compose(
            page -> runs.tags(page.data().stream().map(RunSummary::id).toList()).compose(tags -> {
              page.data().forEach(run -> looking.look(run, tags.getOrDefault(run.id(), Map.of())));
              String next = page.nextCursor();
              return next == null || looking.isEnough()
                  ? Future.succeededFuture(looking.answer(next))
                  : look(looking, next);
            }));
  }

  /** How many runs of a filter have each status; of one whose next page is short, what was found until then. */
  Future<Answer> counts(RunFilter filter) {
    Map<RunStatus, Integer> counts = new EnumMap<>(RunStatus.class);
    AtomicBoolean isCut = new AtomicBoolean();
    List<Future<Void>> all = new ArrayList<>();
    for (RunStatus status : RunStatus.values()) {
      all.add(count(filter.withStatuses(Set.of(status)), 0, null, isCut).map(count -> {
        counts.put(status, count);
        return null;
      }));
    }
    return Future.all(all).map(counted -> {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      body.put("atMost", COUNTED);
      body.put("isCut", isCut.get());
      ObjectNode told = body.putObject("counts");
      counts.forEach((status, count) -> told.put(status.value(), count));
      return Answer.ok(body);
    });
  }

  private Future<Integer> count(
      RunFilter filter, int before, @Nullable String cursor, AtomicBoolean isCut) {
    return runs.list(filter, RunSort.NEWEST_FIRST, PAGE, cursor)
        .compose((Page<RunSummary> page) -> {
          int count = before + page.data().size();
          String next = page.nextCursor();
          if (next == null || count >= COUNTED) {
            return Future.succeededFuture(Math.min(count, COUNTED));
          }
          if (page.data().size() < PAGE) { // the storage looked at as many as it does at once
            isCut.set(true);
            return Future.succeededFuture(count);
          }
          return count(filter, count, next, isCut);
        });
  }

  /** What a failure must be like. */
  record Wanted(@Nullable String errorCode, @Nullable String text, int limit) {
    private boolean fits(ObjectNode failure) {
      String message = failure.path("message").asText("").toLowerCase(Locale.ROOT);
      return (errorCode == null || failure.path("code").asText("").equals(errorCode))
          && (text == null || message.contains(text.toLowerCase(Locale.ROOT)));
    }
  }

  /** One search under way. */
  private final class Looking {
    private final RunFilter filter;
    private final Wanted wanted;
    private final Caller caller;
    private final ArrayNode found = JsonNodeFactory.instance.arrayNode();
    private @Nullable RunSummary earliest;
    private int looked;

    Looking(RunFilter filter, Wanted wanted, Caller caller) {
      this.filter = filter;
      this.wanted = wanted;
      this.caller = caller;
    }

    void look(RunSummary run, Map<String, String> tags) {
      looked++;
      earliest = run;
      ObjectNode body = bodies.summary(run, tags, caller);
      if (body.path("failure") instanceof ObjectNode failure && wanted.fits(failure)) {
        found.add(body);
      }
    }

    /** A page is looked at whole, so that the next search goes on behind it. */
    boolean isEnough() {
      return found.size() >= wanted.limit || looked >= LOOKED_AT;
    }

    Answer answer(@Nullable String next) {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      body.set("data", found);
      if (next != null) {
        body.put("nextCursor", next);
      }
      ObjectNode told = body.putObject("looked");
      told.put("runs", looked);
      told.put("isCut", next != null);
      if (earliest != null) {
        told.put("earliestCreatedAt", earliest.createdAt().toString());
      }
      return Answer.ok(body);
    }
  }
}
