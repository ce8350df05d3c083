package dev.runlane.console.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.answer.Answer;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The runs that have to do with one: the one it was made of, those of its keys, and, among the runs that were made
 * about the same time or after it, those that were made of it or belong to its trace.
 */
final class RelatedRuns {
  private static final Duration BEFORE = Duration.ofMinutes(1);
  private static final int PAGE = 200;
  private static final int PAGES = 3;
  private static final int MOST_LOOKED = PAGE * PAGES;
  private static final int MOST_READ =
      10; // pages of creations, which end sooner where payloads are large
  private static final int MOST_OF_A_KEY = 6;
  private static final int MOST_FOUND = 20;
  private static final RunEventSort OLDEST_FIRST =
      new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.ASC);

  private final Runs runs;
  private final RunBodies bodies;
  private final RunRecord run;
  private final Caller caller;
  private final Map<String, String> relations = new LinkedHashMap<>(); // by run id
  private final Map<String, RunSummary> summaries = new LinkedHashMap<>();
  private int looked;
  private boolean isCut; // runs were not looked at, or a key has others
  private boolean isFull; // more were found than are told

  private RelatedRuns(Runs runs, RunBodies bodies, RunRecord run, Caller caller) {
    this.runs = runs;
    this.bodies = bodies;
    this.run = run;
    this.caller = caller;
  }

  /** Finds those of a run. */
  static Future<Answer> of(Runs runs, RunBodies bodies, RunRecord run, Caller caller) {
    RelatedRuns related = new RelatedRuns(runs, bodies, run, caller);
    return related.find();
  }

  private Future<Answer> find() {
    String source = run.source().sourceRunId();
    if (source != null) {
      relations.put(source, "source");
    }
    return scan(0, null).compose(scanned -> keys()).compose(read -> rest()).map(read -> answer());
  }

  /** Looks at the creations from a little before this one's on. */
  private Future<Void> scan(int page, @Nullable String cursor) {
    RunEventFilter created =
        new RunEventFilter(null, Set.of(RunEventType.CREATED), run.createdAt().minus(BEFORE), null);
    return runs.events(created, OLDEST_FIRST, PAGE, cursor).compose(found -> {
      found.data().forEach(this::look);
      String next = found.nextCursor();
      isCut = next != null;
      return next == null || looked >= MOST_LOOKED || page + 1 == MOST_READ
          ? Future.succeededFuture()
          : scan(page + 1, next);
    });
  }

  private void look(RunEventRecord record) {
    looked++;
    if (record.event() instanceof RunEvent.Created created
        && !created.header().runId().equals(run.id())) {
      relation(created).ifPresent(relation -> found(created.header().runId(), relation));
    }
  }

  private Optional<String> relation(RunEvent.Created created) {
    if (run.id().equals(created.source().sourceRunId())) {
      return Optional.of("reruns");
    }
    Optional<String> trace = traceId(run.traceCarrier());
    return trace.isPresent() && trace.equals(traceId(created.header().traceCarrier()))
        ? Optional.of("trace")
        : Optional.empty();
  }

  private void found(String runId, String relation) {
    if (relations.size() < MOST_FOUND) {
      relations.putIfAbsent(runId, relation);
    } else {
      isFull |= !relations.containsKey(runId);
    }
  }

  /** The second part of a W3C {@code traceparent}. */
  private static Optional<String> traceId(@Nullable Map<String, String> carrier) {
    String[] parts = carrier == null
        ? new String[0]
        : carrier.getOrDefault("traceparent", "").split("-");
    return parts.length > 1 ? Optional.of(parts[1]) : Optional.empty();
  }

  /** Of a key that is hidden from the caller no run is told: who has made a run of a key would know which have it. */
  private Future<Void> keys() {
    RunKeys keys = run.keys();
    Map<String, RunFilter> filters = new LinkedHashMap<>();
    if (isShown("idempotencyKey", keys.idempotencyKey())) {
      filters.put(
          "idempotency",
          RunFilter.ALL
              .withTaskIds(List.of(run.taskId()))
              .withIdempotencyKey(keys.idempotencyKey()));
    }
    if (isShown("singletonKey", keys.singletonKey())) {
      filters.put(
          "singleton",
          RunFilter.ALL.withTaskIds(List.of(run.taskId())).withSingletonKey(keys.singletonKey()));
    }
    if (isShown("concurrencyKey", keys.concurrencyKey())) {
      filters.put("key", RunFilter.ALL.withConcurrencyKey(keys.concurrencyKey()));
    }
    List<Future<Void>> all = new ArrayList<>();
    filters.forEach((relation, filter) -> all.add(ofKey(new OfKey(relation, filter), 0, null)));
    return Future.all(all).mapEmpty();
  }

  private boolean isShown(String field, @Nullable String key) {
    return key != null && !bodies.hides(field, key, caller);
  }

  /** The newest few of a key; a page may have none of them and still a next one. */
  private Future<Void> ofKey(OfKey key, int page, @Nullable String cursor) {
    return runs.list(key.filter, RunSort.NEWEST_FIRST, MOST_OF_A_KEY, cursor).compose(found -> {
      key.found.addAll(found.data());
      String next = found.nextCursor();
      if (next != null && page + 1 < PAGES && key.found.size() < MOST_OF_A_KEY) {
        return ofKey(key, page + 1, next);
      }
      isCut = isCut || next != null || found.isCut();
      key.found.stream().filter(other -> !other.id().equals(run.id())).forEach(other -> {
        relations.putIfAbsent(other.id(), key.relation);
        summaries.put(other.id(), other);
      });
      return Future.succeededFuture();
    });
  }

  private Future<Void> rest() {
    List<String> others =
        relations.keySet().stream().filter(id -> !summaries.containsKey(id)).toList();
    return others.isEmpty()
        ? Future.succeededFuture()
        : runs.summaries(others).map(found -> {
          summaries.putAll(found);
          return null;
        });
  }

  private Answer answer() {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ArrayNode data = body.putArray("data");
    relations.forEach((id, relation) -> {
      RunSummary summary = summaries.get(id); // pruned meanwhile where there is none
      if (summary != null) {
        ObjectNode each = data.addObject();
        each.put("relation", relation);
        each.set("run", bodies.summary(summary, Map.of(), caller));
      }
    });
    body.put("looked", looked);
    body.put("isCut", isCut || isFull);
    return Answer.ok(body);
  }

  /** The runs of one key while they are looked for. */
  private static final class OfKey {
    private final String relation;
    private final RunFilter filter;
    private final List<RunSummary> found = new ArrayList<>();

    OfKey(String relation, RunFilter filter) {
      this.relation = relation;
      this.filter = filter;
    }
  }
}
