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
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
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
  private static final Duration LOST_AFTER = Duration.ofMinutes(1);
  private static final Duration KEPT_FOR = Duration.ofDays(7);
  private static final int PAGE = 200;
  private static final int LONGEST_FILTER = 32 << 10; // a document has 64 KiB

  private final OperatorStore store;
  private final Environment environment;
  private final Clock clock;
  private final Timers timers;

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
    return put(action)
        .compose(kept -> admission.get())
        .onSuccess(admitted -> {
          beat(action);
          prune();
        })
        .recover(failure -> remove(action.id())
            .onFailure(still ->
                LOG.warn("action {} on many runs did not begin, but may be told", action.id(), still))
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

  /** Those of other consoles, alive or gone, the one that began first before the others. */
  Future<List<ObjectNode>> others(Set<String> own) {
    return store
        .listDocuments(new ListDocuments(environment, KIND, PAGE, null))
        .map(page -> page.data().stream()
            .filter(each -> !own.contains(each.name()))
            .map(this::body)
            .sorted(Comparator.comparing(body -> body.path("startedAt").asText()))
            .toList());
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
    if (JsonTexts.write(action.given()).length() <= LONGEST_FILTER) {
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

  /** One that runs is kept again and again: where that ends, so has its console. */
  private ObjectNode body(OperatorDocument document) {
    ObjectNode body = JsonTexts.object(document.content());
    if (!body.has("hasLeft")) {
      body.put("hasLeft", true); // of an earlier release, which keeps no other
    }
    if (isLost(document, body)) {
      body.put("state", "unfinished");
    }
    return body;
  }

  private boolean isLost(OperatorDocument document, ObjectNode body) {
    return body.path("state").asText().equals("running")
        && document.changedAt().plus(LOST_AFTER).isBefore(clock.now());
  }

  private void prune() {
    Instant keptFrom = clock.now().minus(KEPT_FOR);
    store
        .listDocuments(new ListDocuments(environment, KIND, PAGE, null))
        .compose(page -> Future.join(page.data().stream()
            .filter(each -> each.changedAt().isBefore(keptFrom))
            .map(each -> remove(each.name()))
            .toList()))
        .onFailure(failure -> LOG.debug("earlier actions on many runs are still kept", failure));
  }
}
