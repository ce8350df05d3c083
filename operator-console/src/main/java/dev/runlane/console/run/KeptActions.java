package dev.runlane.console.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.run.Environment;
import dev.runlane.run.Json;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far actions on many runs are, as documents of the storage: what a console began that was closed or lost is known
 * to those after it. One that is done with all its runs is kept no longer; the log of actions has it.
 */
final class KeptActions {
  private static final Logger LOG = LoggerFactory.getLogger(KeptActions.class);
  private static final String KIND = "bulk_action";
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration SILENT_AFTER = Duration.ofMinutes(1);
  private static final Duration LONG_SILENT_AFTER =
      Duration.ofHours(1); // by the clocks of two processes
  private static final Duration KEPT_FOR = Duration.ofDays(7);
  private static final int PAGE = 200;
  private static final int LONGEST_FILTER = 32 << 10; // bytes; a document has 64 KiB

  private final OperatorStore store;
  private final Environment environment;
  private final Clock clock;
  private final Timers timers;
  private final Map<String, Seen> seen = new HashMap<>(); // those of others that run

  KeptActions(OperatorStore store, Environment environment, Clock clock, Timers timers) {
    this.store = store;
    this.environment = environment;
    this.clock = clock;
    this.timers = timers;
  }

  /**
   * Keeps one that is about to begin; fails where it cannot, so that none is begun of which nothing is left, and as
   * {@code admission} does, which is asked once it is kept. Of one that does not begin nothing is kept, as far as the
   * storage answers: a document whose answer was lost is removed.
   */
  Future<Void> begin(BulkAction action, Supplier<Future<Void>> admission) {
    return Future.<Void>succeededFuture()
        .compose(start -> put(action))
        .compose(kept -> admission.get())
        .onSuccess(admitted -> {
          beat(action);
          prune();
        })
        .recover(failure -> remove(action.id())
            .onFailure(still -> LOG.warn(
                "action {} on many runs did not begin, but may be told", action.id(), still))
            .transform((removed, still) -> Future.failedFuture(failure)));
  }

  /** Keeps what is left of one that has ended; never fails. */
  Future<Void> end(BulkAction action) {
    return action
        .inTurn(() -> action.isWhole() ? remove(action.id()) : put(action))
        .recover(failure -> {
          LOG.warn("how action {} on many runs has ended could not be kept", action.id(), failure);
          return Future.succeededFuture();
        });
  }

  /**
   * Those of other consoles, alive or gone, the one that began first before the others. Those that nothing was heard of
   * for {@link #KEPT_FOR} are left out.
   */
  Future<List<ObjectNode>> others(Set<String> own) {
    return all().map(documents -> {
      List<OperatorDocument> shown = documents.stream()
          .filter(each -> !isOld(each) && !own.contains(each.name()))
          .toList();
      seen.keySet().retainAll(shown.stream().map(OperatorDocument::name).toList());
      return shown.stream()
          .map(this::body)
          .sorted(Comparator.comparing(body -> body.path("startedAt").asText()))
          .toList();
    });
  }

  private void beat(BulkAction action) {
    timers.after(EVERY).onSuccess(turn -> {
      if (!action.isOver()) {
        action
            .inTurn(() -> action.isOver() ? Future.succeededFuture() : put(action))
            .onFailure(failure ->
                LOG.debug("how far action {} is could not be kept", action.id(), failure))
            .onComplete(kept -> beat(action));
      }
    });
  }

  private Future<Void> put(BulkAction action) {
    ObjectNode body = action.body().put("isHere", false);
    byte[] filter = JsonTexts.write(action.given()).getBytes(StandardCharsets.UTF_8);
    if (filter.length <= LONGEST_FILTER) {
      body.set("filter", action.given());
    }
    Json content = JsonValues.parseObject("the action", JsonTexts.write(body), JsonLimits.PAYLOAD);
    return store
        .putDocument(new PutDocument(
            environment, KIND, action.id(), null, content, action.by(), clock.now()))
        .mapEmpty();
  }

  private Future<Void> remove(String id) {
    return store.removeDocument(new RemoveDocument(environment, KIND, id)).mapEmpty();
  }

  private ObjectNode body(OperatorDocument document) {
    ObjectNode body = JsonTexts.object(document.content());
    if (!body.has("hasLeft")) {
      body.put("hasLeft", true); // of an earlier release, which keeps no other
    }
    body.put("toldAt", document.changedAt().toString());
    if (body.path("state").asText().equals("running") && isSilent(document)) {
      body.put("state", "unfinished");
    }
    return body;
  }

  /**
   * Whether one that runs, which is kept again and again, has not been so for long. What this process has seen itself
   * counts, by its own time: clocks of two processes are compared only for what it sees for the first time.
   */
  private boolean isSilent(OperatorDocument document) {
    Duration now = timers.elapsed();
    Seen last = seen.get(document.name());
    if (last == null || last.version() != document.version()) {
      boolean isLongSilent =
          last == null && document.changedAt().plus(LONG_SILENT_AFTER).isBefore(clock.now());
      last = new Seen(document.version(), isLongSilent ? now.minus(SILENT_AFTER) : now);
      seen.put(document.name(), last);
    }
    return now.minus(last.since()).compareTo(SILENT_AFTER) >= 0;
  }

  private void prune() {
    all()
        .onSuccess(this::removeOld)
        .onFailure(failure -> LOG.debug("earlier actions on many runs are still kept", failure));
  }

  private void removeOld(List<OperatorDocument> documents) {
    documents.stream().filter(this::isOld).forEach(each -> remove(each.name())
        .onFailure(
            failure -> LOG.debug("action {} on many runs is still kept", each.name(), failure)));
  }

  private boolean isOld(OperatorDocument document) {
    return document.changedAt().plus(KEPT_FOR).isBefore(clock.now());
  }

  private Future<List<OperatorDocument>> all() {
    return from(null, new ArrayList<>());
  }

  private Future<List<OperatorDocument>> from(
      @Nullable String cursor, List<OperatorDocument> before) {
    return store
        .listDocuments(new ListDocuments(environment, KIND, PAGE, cursor))
        .compose(page -> {
          before.addAll(page.data());
          return page.nextCursor() == null
              ? Future.succeededFuture(before)
              : from(page.nextCursor(), before);
        });
  }

  /**
   * What was read of an action last.
   *
   * @param version of its document
   * @param since when this version was read first, of the time of this process
   */
  private record Seen(long version, Duration since) {}
}
