package dev.runlane.console.run;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Iterator;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One action on each run of a filter, one run after the other, oldest first. Belongs to the console's context. */
final class BulkAction {
  private static final int PAGE = 200;
  private static final RunSort OLDEST_FIRST =
      new RunSort(RunSort.Field.CREATED_AT, SortDirection.ASC);

  private final String id;
  private final BulkKind kind;
  private final RunFilter filter;
  private final RunActionOptions options;
  private final String actor;
  private final int limit;
  private final Instant startedAt;
  private final TreeMap<String, Integer> failures = new TreeMap<>();
  private int done;
  private int failed;
  private State state = State.RUNNING;
  private @Nullable Instant endedAt;

  BulkAction(
      String id,
      BulkKind kind,
      RunFilter filter,
      RunActionOptions options,
      String actor,
      int limit,
      Instant now) {
    this.id = id;
    this.kind = kind;
    this.filter = filter;
    this.options = options;
    this.actor = actor;
    this.limit = limit;
    startedAt = now;
  }

  String id() {
    return id;
  }

  boolean isOver() {
    return endedAt != null;
  }

  /** Stops before the next run; what was done stays. */
  void cancel() {
    if (state == State.RUNNING) {
      state = State.CANCELLED;
    }
  }

  /** Completes with what is kept of it in the log of actions; fails where the runs cannot be listed. */
  Future<String> work(Runs runs) {
    return page(runs, null).map(over -> done + " done, " + failed + " failed, " + state.value);
  }

  void ended(boolean isWhole, Instant now) {
    endedAt = now;
    if (state == State.RUNNING) {
      state = isWhole ? State.DONE : State.FAILED;
    }
  }

  private Future<Void> page(Runs runs, @Nullable String cursor) {
    if (isEnough()) {
      return Future.succeededFuture();
    }
    return runs.list(filter, OLDEST_FIRST, PAGE, cursor).compose(page -> each(
            runs, page.data().iterator())
        .compose(acted ->
            page.nextCursor() == null ? Future.succeededFuture() : page(runs, page.nextCursor())));
  }

  private Future<Void> each(Runs runs, Iterator<RunSummary> rest) {
    if (!rest.hasNext() || isEnough()) {
      return Future.succeededFuture();
    }
    return kind.act(runs, rest.next().id(), options).transform((acted, failure) -> {
      if (failure == null) {
        done++;
      } else {
        failed++;
        failures.merge(
            failure instanceof RunlaneException own ? own.code().value() : "internal_error",
            1,
            Integer::sum);
      }
      return each(runs, rest);
    });
  }

  private boolean isEnough() {
    return state != State.RUNNING || done + failed >= limit;
  }

  ObjectNode body() {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", id);
    body.put("action", kind.value());
    body.put("actor", actor);
    body.put("reason", options.getReason().orElse(""));
    body.put("state", state.value);
    body.put("limit", limit);
    body.put("done", done);
    body.put("failed", failed);
    ObjectNode codes = body.putObject("failures");
    failures.forEach(codes::put);
    body.put("startedAt", startedAt.toString());
    if (endedAt != null) {
      body.put("endedAt", endedAt.toString());
    }
    return body;
  }

  /** Where it is. */
  private enum State {
    RUNNING("running"),
    DONE("done"),
    CANCELLED("cancelled"),
    FAILED("failed");

    private final String value;

    State(String value) {
      this.value = value;
    }
  }
}
