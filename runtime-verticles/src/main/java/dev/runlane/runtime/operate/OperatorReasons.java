package dev.runlane.runtime.operate;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Lease;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import dev.runlane.runtime.process.RuntimeContext;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What storage keeps for operators and that holds a run: a paused queue, or an owner whose process is gone. */
final class OperatorReasons {
  /** Pages of processes that are looked through for one. */
  private static final int MOST_PAGES = 10;

  private final RuntimeContext context;
  private final Optional<OperatorStore> store;

  OperatorReasons(RuntimeContext context) {
    this.context = context;
    store = context.storage().operator();
  }

  Future<List<Reason>> of(RunRecord run) {
    if (store.isEmpty() || run.status().isTerminal()) {
      return Future.succeededFuture(List.of());
    }
    Lease lease = run.lease();
    Instant now = context.clock().now();
    return lease == null || lease.isExpiredAt(now)
        ? paused(store.get(), run)
        : find(
                store.get(),
                each -> each.process().workerIds().contains(lease.workerId()),
                null,
                MOST_PAGES)
            .map(owner -> owner
                .filter(process -> process.isGoneAt(context.storageTime()))
                .map(process -> List.of(gone(process, lease)))
                .orElse(List.of()));
  }

  /** Whether storage keeps what processes say of themselves. */
  boolean areKept() {
    return store.isPresent();
  }

  /** Whether a process that lives and works says that it has the task. */
  Future<Boolean> isTakenElsewhere(String taskId) {
    return works(process -> process.taskIds().contains(taskId));
  }

  /** Whether one that lives and works takes the queue; false as well where storage keeps nothing of processes. */
  Future<Boolean> isServed(String queue) {
    return works(process -> process.queues().contains(queue));
  }

  /** Whether one of those that take the queue has the task. */
  Future<Boolean> isServed(String queue, String taskId) {
    return works(
        process -> process.queues().contains(queue) && process.taskIds().contains(taskId));
  }

  private Future<Boolean> works(Predicate<RuntimeProcess> wanted) {
    Instant now = context.storageTime();
    return store
        .map(known -> find(
                known,
                each -> each.process().slots() > 0
                    && wanted.test(each.process())
                    && !each.isGoneAt(now),
                null,
                MOST_PAGES)
            .map(Optional::isPresent))
        .orElseGet(() -> Future.succeededFuture(false));
  }

  private Future<List<Reason>> paused(OperatorStore known, RunRecord run) {
    return known
        .listPausedQueues(new ListPausedQueues(context.environment()))
        .map(queues -> queues.stream()
            .filter(each -> each.queue().equals(run.queue()))
            .map(OperatorReasons::paused)
            .toList());
  }

  private static Reason paused(PausedQueue queue) {
    String who = queue.actor().id() == null
        ? queue.actor().type().value()
        : queue.actor().id();
    Map<String, String> details = new HashMap<>(Map.of(
        "queue", queue.queue(), "pausedBy", who, "pausedAt", queue.pausedAt().toString()));
    if (queue.reason() != null) {
      details.put("reason", queue.reason());
    }
    return new Reason(
        Code.QUEUE_PAUSED,
        "Queue %s was paused by %s at %s%s; nothing of it is claimed until it is resumed."
            .formatted(
                queue.queue(),
                who,
                queue.pausedAt(),
                queue.reason() == null ? "" : " (" + queue.reason() + ")"),
        details);
  }

  private Future<Optional<KnownProcess>> find(
      OperatorStore known, Predicate<KnownProcess> wanted, @Nullable String cursor, int pages) {
    return known
        .listProcesses(
            new ListProcesses(context.environment(), ContractDefaults.MAX_PAGE_LIMIT, cursor))
        .compose(page -> {
          Optional<KnownProcess> found = page.data().stream().filter(wanted).findFirst();
          return found.isPresent() || page.nextCursor() == null || pages == 1
              ? Future.succeededFuture(found)
              : find(known, wanted, page.nextCursor(), pages - 1);
        });
  }

  private static Reason gone(KnownProcess owner, Lease lease) {
    return new Reason(
        Code.OWNER_GONE,
        "The process of worker %s on %s is gone: it was last seen at %s. Its lease ends at %s, and another worker takes the run over then."
            .formatted(
                lease.workerId(), owner.process().host(), owner.lastSeen(), lease.expiresAt()),
        Map.of(
            "workerId",
            lease.workerId(),
            "processId",
            owner.process().processId(),
            "host",
            owner.process().host(),
            "lastSeen",
            owner.lastSeen().toString(),
            "leaseUntil",
            lease.expiresAt().toString()));
  }
}
