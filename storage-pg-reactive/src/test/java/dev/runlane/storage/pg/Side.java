package dev.runlane.storage.pg;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One of two storages that are given the same commands. Answers are shown without what a storage makes up by
 * itself: ids of events and messages, and tokens. A message is known by its run and the instant of its request.
 */
final class Side {
  private final List<StorageAdapter> adapters;
  private final Map<String, ClaimedOutboxMessage> claimed = new HashMap<>();
  private int turn;

  /** The adapters are of one state, as of several processes, and take turns. */
  Side(List<StorageAdapter> adapters) {
    this.adapters = adapters;
  }

  StorageAdapter next() {
    turn = (turn + 1) % adapters.size();
    return adapters.get(turn);
  }

  /** The latest claim of a message; one that nobody ever claimed here has none that anybody knows. */
  @Nullable
  ClaimedOutboxMessage claimOf(String message) {
    return claimed.get(message);
  }

  List<String> everClaimed() {
    return claimed.keySet().stream().sorted().toList();
  }

  String answer(Future<?> future) {
    try {
      return show(future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS));
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RunlaneException ours) {
        return "fails: " + ours.code() + " " + ours.meta().get("storageConflictKind");
      }
      throw new AssertionError("no failure of ours", failed.getCause());
    } catch (InterruptedException | TimeoutException never) {
      throw new AssertionError("no answer", never);
    }
  }

  private String show(@Nullable Object value) {
    if (value instanceof Optional<?> optional) {
      return optional.map(this::show).orElse("empty");
    }
    if (value instanceof List<?> list) {
      List<String> shown = new ArrayList<>();
      list.forEach(each -> shown.add(show(each)));
      return String.join("\n", shown);
    }
    if (value instanceof AppendedRun appended) {
      return appended.run() + show(appended.events()) + show(appended.claimedOutbox());
    }
    if (value instanceof RunEventRecord row) {
      RunEvent event = row.event();
      return row.sequence() + " " + event;
    }
    if (value instanceof ClaimedRuns runs) {
      List<String> shown = new ArrayList<>();
      runs.runs()
          .forEach(each -> shown.add(each.before() + " -> " + each.run() + show(each.events())));
      return String.join("\n", shown);
    }
    if (value instanceof ClaimedOutboxMessage message) {
      claimed.put(nameOf(message), message);
      return nameOf(message)
          + message.message()
          + message.availableAt()
          + message.claimExpiresAt()
          + message.failedPublishes()
          + message.groupKey();
    }
    if (value instanceof Page<?> page) {
      return show(page.data()) + (page.nextCursor() == null ? " last page" : " more");
    }
    return String.valueOf(value);
  }

  private static String nameOf(ClaimedOutboxMessage message) {
    Instant requestedAt = message.message().requestedAt();
    return message.message().runId() + "@" + requestedAt;
  }
}
