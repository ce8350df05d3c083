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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds runs by what no index has, and counts them by status. A search looks at a bounded number of runs for a bounded
 * time, newest first, and says at how many.
 */
final class RunSearch {
  /** How many runs a search looks at before it answers. */
  static final int LOOKED_AT = 5_000;

  /** Up to how many runs of a status are counted. */
  static final int COUNTED = 1_000;

  /** For how long a search goes on to look = 100 ms; always one page. */
  static final Duration LOOKED_FOR = Duration.ofMillis(100);

  private static final int PAGE = 200;
  private static final Future<Map<String, Map<String, String>>> NO_TAGS =
      Future.succeededFuture(Map.of());

  private final Runs runs;
  private final RunBodies bodies;
  private final Ticks ticks;

  /** How much time went by, of which only differences mean something. */
  interface Ticks {
    Duration now();
  }

  RunSearch(Runs runs, RunBodies bodies) {
    this(runs, bodies, () -> Duration.ofNanos(System.nanoTime()));
  }

  RunSearch(Runs runs, RunBodies bodies, Ticks ticks) {
    this.runs = runs;
    this.bodies = bodies;
    this.ticks = ticks;
  }

  /** The runs of a filter and with some tags whose failure has this code and text, as the caller may see them. */
  Future<Answer> search(RunFilter filter, Wanted wanted, @Nullable String cursor, Caller caller) {
    return find(filter, wanted, cursor, caller).map(Answer::ok);
  }

  Future<ObjectNode> find(RunFilter filter, Wanted wanted, @Nullable String cursor, Caller caller) {
    return look(new Looking(filter, wanted, caller), cursor);
  }

  private Future<ObjectNode> look(Looking looking, @Nullable String cursor) {
    return page(looking, cursor).compose(page -> {
      page.data().forEach(looking::look);
      String next = page.nextCursor();
      return next == null || looking.isEnough() ? answer(looking, next) : look(looking, next);
    });
  }

  private Future<Page<RunSummary>> page(Looking looking, @Nullable String cursor) {
    return looking.wanted.tags.isEmpty()
        ? runs.list(looking.filter, RunSort.NEWEST_FIRST, PAGE, cursor)
        : runs.listTagged(looking.wanted.tags, looking.filter, PAGE, cursor);
  }

  private Future<ObjectNode> answer(Looking looking, @Nullable String next) {
    List<String> found = looking.found.stream().map(RunSummary::id).toList();
    return (found.isEmpty() ? NO_TAGS : runs.tags(found)).map(tags -> looking.answer(next, tags));
  }

  /** How many runs of a filter have each status, up to a number. */
  Future<Answer> counts(RunFilter filter) {
    return runs.counts(filter, COUNTED).map(counts -> {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      body.put("atMost", COUNTED);
      body.put("isCut", counts.isCut());
      ObjectNode told = body.putObject("counts");
      for (RunStatus status : RunStatus.values()) {
        told.put(status.value(), counts.counts().get(status));
      }
      return Answer.ok(body);
    });
  }

  /** What a run must have beside what a filter says, and its failure be like. */
  record Wanted(
      Map<String, String> tags,
      @Nullable String errorCode,
      @Nullable String text,
      int limit) {
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
    private final List<RunSummary> found = new ArrayList<>();
    private final Duration began = ticks.now();
    private @Nullable RunSummary earliest;
    private int looked;

    Looking(RunFilter filter, Wanted wanted, Caller caller) {
      this.filter = filter;
      this.wanted = wanted;
      this.caller = caller;
    }

    void look(RunSummary run) {
      looked++;
      earliest = run;
      if (run.failure() != null
          && bodies.summary(run, Map.of(), caller).path("failure") instanceof ObjectNode failure
          && wanted.fits(failure)) {
        found.add(run);
      }
    }

    /** A page is looked at whole, so that the next search goes on behind it. */
    boolean isEnough() {
      return found.size() >= wanted.limit
          || looked >= LOOKED_AT
          || ticks.now().minus(began).compareTo(LOOKED_FOR) >= 0;
    }

    ObjectNode answer(@Nullable String next, Map<String, Map<String, String>> tags) {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      ArrayNode data = body.putArray("data");
      found.forEach(
          run -> data.add(bodies.summary(run, tags.getOrDefault(run.id(), Map.of()), caller)));
      if (next != null) {
        body.put("nextCursor", next);
      }
      ObjectNode told = body.putObject("looked");
      told.put("runs", looked);
      told.put("isCut", next != null);
      if (earliest != null) {
        told.put("earliestCreatedAt", earliest.createdAt().toString());
      }
      return body;
    }
  }
}
