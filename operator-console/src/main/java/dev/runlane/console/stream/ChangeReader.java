package dev.runlane.console.stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.access.Role;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.console.run.RunBodies;
import dev.runlane.run.RunEventType;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what happened to runs since an instant, the latest first, and no more than a bound. */
final class ChangeReader {
  /** The most changes of one reading = {@value}. */
  static final int MOST = 3_000;

  private static final int PAGE = 100;
  private static final Set<RunEventType> TYPES = Set.of(
      RunEventType.CREATED,
      RunEventType.STARTED,
      RunEventType.SUCCEEDED,
      RunEventType.FAILED,
      RunEventType.RETRY_SCHEDULED,
      RunEventType.RELEASED,
      RunEventType.CANCELLATION_REQUESTED,
      RunEventType.CANCELLED);
  private static final RunEventSort LATEST_FIRST =
      new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.DESC);
  private static final Caller EVERYTHING = new Caller("nobody", Role.ADMIN, null);
  private static final Caller LEAST = new Caller("nobody", Role.VIEWER, null);

  private final Runs runs;
  private final RunBodies plain;
  private final RunBodies masked;

  ChangeReader(Runs runs, Masks masks) {
    this.runs = runs;
    plain = new RunBodies(Masks.NONE);
    masked = new RunBodies(masks);
  }

  /** All since then by their events' ids, or the latest of them where there are too many. */
  Future<Reading> since(Instant from) {
    RunEventFilter filter = new RunEventFilter(null, TYPES, from, null);
    return page(filter, new LinkedHashMap<>(), from, null);
  }

  private Future<Reading> page(
      RunEventFilter filter, Map<String, Change> found, Instant from, @Nullable String cursor) {
    return runs.events(filter, LATEST_FIRST, PAGE, cursor).compose(page -> {
      page.data().forEach(event -> found.put(event.id(), change(event)));
      if (page.nextCursor() == null) {
        return Future.succeededFuture(new Reading(found, from));
      }
      return found.size() >= MOST
          ? Future.succeededFuture(new Reading(found, oldest(page)))
          : page(filter, found, from, page.nextCursor());
    });
  }

  /** Of equal instants some may be missing. */
  private static Instant oldest(Page<RunEventRecord> page) {
    return page.data().get(page.data().size() - 1).event().header().occurredAt().plusNanos(1_000);
  }

  /** How far an action on many runs is. */
  Change action(ObjectNode body) {
    return Change.ofAction(
        JsonTexts.write(body), JsonTexts.write(masked.bulkAction(body.deepCopy(), LEAST)));
  }

  private Change change(RunEventRecord event) {
    return Change.ofRun(
        event.event().header().runId(),
        event.event().type().value(),
        event.event().header().occurredAt(),
        JsonTexts.write(plain.change(event, EVERYTHING)),
        JsonTexts.write(masked.change(event, LEAST)));
  }

  /**
   * What was read.
   *
   * @param changes by the ids of their events, the latest first
   * @param wholeFrom from when on nothing is missing
   */
  record Reading(Map<String, Change> changes, Instant wholeFrom) {
    Reading {
      changes = Collections.unmodifiableMap(changes);
    }
  }
}
