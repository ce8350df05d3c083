package dev.runlane.runtime.operate;

import dev.runlane.run.Awaiting;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import dev.runlane.runtime.process.PublishedPolicies;
import dev.runlane.runtime.process.ReadableRuns;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.RegisteredTask;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds out why a run is where it is, from what storage says of it and of its partition. */
final class Explanations {
  private static final Set<RunStatus> MAY_OCCUPY =
      Set.of(RunStatus.RUNNING, RunStatus.CANCELLATION_REQUESTED, RunStatus.QUEUED);
  private static final int LOOKED_AT = 200; // runs of the queue in a page, the oldest first
  private static final int MOST_PAGES = 10;
  private static final int NAMED = 10;

  private final RuntimeContext context;
  private final OperatorReasons operator;

  Explanations(RuntimeContext context) {
    this.context = context;
    operator = new OperatorReasons(context);
  }

  Future<RunExplanation> explain(RunRecord run) {
    HistoryReasons history = new HistoryReasons(context);
    return Future.all(
            new WakeupReasons(context).of(run),
            new StepReasons(context).of(run),
            history.of(run),
            history.lastHeartbeat(run),
            missing(run),
            operator.of(run))
        .compose(found -> {
          List<Reason> last = new ArrayList<>(found.<List<Reason>>resultAt(2));
          last.addAll(found.<List<Reason>>resultAt(0));
          Optional<EventHeader> heartbeat = found.resultAt(3);
          return refused(run, heartbeat).compose(refused -> {
            List<Reason> held = new ArrayList<>(refused);
            held.addAll(found.<List<Reason>>resultAt(5));
            return explain(
                run,
                held,
                found.resultAt(4),
                found.resultAt(1),
                last,
                heartbeat.map(EventHeader::occurredAt));
          });
        });
  }

  /** This process knows it of its own runs, and that of others has told it with its last heartbeat. */
  private Future<List<Reason>> refused(RunRecord run, Optional<EventHeader> heartbeat) {
    Lease lease = run.lease();
    if (lease == null) {
      return Future.succeededFuture(List.of());
    }
    return context
        .host()
        .call(() -> Future.succeededFuture(context.leases().refusedOutcomes()))
        .otherwise(List.of()) // before the start it holds nothing
        .map(refused -> refused.stream()
            .filter(each -> each.runId().equals(run.id()))
            .findFirst()
            .map(RefusedReasons::here)
            .or(() -> heartbeat.flatMap(header -> RefusedReasons.told(lease, header)))
            .map(List::of)
            .orElse(List.of()));
  }

  private Future<RunExplanation> explain(
      RunRecord run,
      List<Reason> held,
      List<Reason> missing,
      List<Reason> steps,
      List<Reason> last,
      Optional<Instant> heartbeat) {
    Instant now = context.clock().now();
    List<Reason> reasons = new ArrayList<>(held);
    reasons.addAll(missing);
    Optional<Reason> own = ownReason(run, steps, heartbeat, now);
    own.ifPresent(reasons::add);
    reasons.addAll(steps);
    if (own.isPresent()) {
      return Future.succeededFuture(explained(run, reasons, last));
    }
    return context
        .policyOf(run.queue())
        .compose(policy -> policy.filter(QueuePolicy::isBounded).isEmpty()
            ? Future.succeededFuture(Optional.<Reason>empty())
            : partition(run, policy.get(), now))
        .map(full -> {
          full.ifPresent(reasons::add);
          return explained(run, reasons, last);
        });
  }

  private RunExplanation explained(RunRecord run, List<Reason> reasons, List<Reason> last) {
    if (reasons.isEmpty()) {
      reasons.add(new Reason(
          Code.WAITING_FOR_WORKER,
          "It is due and nothing holds it: a worker of queue %s with task %s takes it, where one runs."
              .formatted(run.queue(), run.taskId()),
          Map.of("queue", run.queue(), "taskId", run.taskId())));
    }
    reasons.addAll(last);
    return new RunExplanation(run, reasons);
  }

  /** Processes publish their queues, and what their workers take, where the storage keeps that. */
  private Future<List<Reason>> missing(RunRecord run) {
    if (!run.status().isActive()) {
      return Future.succeededFuture(List.of());
    }
    return context.registry().isOperatorOnly()
        ? missingElsewhere(run)
        : missingTask(run).compose(missing -> missingQueue(run, missing));
  }

  private Future<List<Reason>> missingTask(RunRecord run) {
    if (context.registry().task(run.taskId()).filter(RegisteredTask::hasHandler).isPresent()) {
      return Future.succeededFuture(List.of());
    }
    return operator
        .isTakenElsewhere(run.taskId())
        .map(isTaken -> isTaken
            ? List.of()
            : List.of(noTask(
                run,
                operator.areKept()
                    ? "this one has no handler of it, and no worker that lives says it has"
                    : "this one has no handler of it, and storage keeps no list of others'")));
  }

  private static Reason noTask(RunRecord run, String why) {
    return new Reason(
        Code.NO_TASK,
        "No process with task %s has been seen: %s.".formatted(run.taskId(), why),
        Map.of("taskId", run.taskId()));
  }

  private Future<List<Reason>> missingQueue(RunRecord run, List<Reason> missingTask) {
    List<Reason> missing = new ArrayList<>(missingTask);
    if (context.registry().queue(run.queue()).isPresent()) {
      return Future.succeededFuture(missing);
    }
    PublishedPolicies published = context.publishedPolicies();
    return published.find(run.queue()).map(found -> {
      if (found.isEmpty()) {
        missing.add(noQueue(
            run,
            published.areKept()
                ? "neither this one nor any other that lives has it"
                : "this one has none, and storage keeps no list of others'"));
      }
      return missing;
    });
  }

  /** An operator's runtime has neither queue nor task, which says nothing of the processes that work. */
  private Future<List<Reason>> missingElsewhere(RunRecord run) {
    return context.publishedPolicies().find(run.queue()).compose(found -> {
      if (found.isPresent()) {
        return missingWorker(run);
      }
      return Future.succeededFuture(
          context.publishedPolicies().areKept()
              ? List.of(noQueue(run, "none that lives has it"))
              : List.of());
    });
  }

  /** Processes have the queue; that says nothing of whether one of them works on it. What is leased somebody has. */
  private Future<List<Reason>> missingWorker(RunRecord run) {
    Lease lease = run.lease();
    boolean isHeld = lease != null && !lease.isExpiredAt(context.clock().now());
    if (isHeld || !operator.areKept()) {
      return Future.succeededFuture(List.of());
    }
    return operator
        .isServed(run.queue())
        .compose(isServed -> isServed
            ? operator
                .isServed(run.queue(), run.taskId())
                .map(isTaken -> isTaken
                    ? List.<Reason>of()
                    : List.of(noTask(run, "no worker that lives and takes its queue has it")))
            : Future.succeededFuture(List.of(new Reason(
                Code.NO_QUEUE,
                "No worker of queue %s lives: processes have the queue, and none works on it."
                    .formatted(run.queue()),
                Map.of("queue", run.queue())))));
  }

  private static Reason noQueue(RunRecord run, String why) {
    return new Reason(
        Code.NO_QUEUE,
        "No process with queue %s has been seen: %s.".formatted(run.queue(), why),
        Map.of("queue", run.queue()));
  }

  private Optional<Reason> ownReason(
      RunRecord run, List<Reason> steps, Optional<Instant> heartbeat, Instant now) {
    if (run.status().isTerminal()) {
      return Optional.of(new Reason(
          Code.ENDED,
          "It ended as %s at %s.".formatted(run.status().value(), run.finishedAt()),
          Map.of("status", run.status().value(), "finishedAt", String.valueOf(run.finishedAt()))));
    }
    Lease lease = run.lease();
    if (lease != null) {
      return Optional.of(leased(run, lease, heartbeat, now));
    }
    DispatchReservation reservation = run.reservation();
    if (reservation != null && run.hasLiveReservationAt(now)) {
      return Optional.of(new Reason(
          Code.RESERVED,
          "A slot is held for it until %s; a worker is being woken."
              .formatted(reservation.expiresAt()),
          Map.of("reservedUntil", reservation.expiresAt().toString())));
    }
    return RunDueTimes.runnableAvailableAt(run)
        .filter(due -> due.isAfter(now))
        .map(due -> notDue(run, steps, due));
  }

  private Reason notDue(RunRecord run, List<Reason> steps, Instant due) {
    Map<String, String> details =
        Map.of("dueAt", due.toString(), "status", run.status().value());
    if (run.awaiting() == Awaiting.STEPS && steps.isEmpty()) {
      return new Reason(Code.NOT_DUE, "It sleeps until %s.".formatted(due), details);
    }
    return run.awaiting() == Awaiting.STEPS
        ? new Reason(
            Code.NOT_DUE,
            "It waits for one of its steps and goes on at %s at the latest.".formatted(due),
            details)
        : new Reason(
            Code.NOT_DUE, "It is %s and due at %s.".formatted(run.status().value(), due), details);
  }

  private static Reason leased(
      RunRecord run, Lease lease, Optional<Instant> heartbeat, Instant now) {
    Map<String, String> details = new HashMap<>(
        Map.of("workerId", lease.workerId(), "leaseUntil", lease.expiresAt().toString()));
    heartbeat.ifPresent(at -> details.put("lastHeartbeatAt", at.toString()));
    String heard = heartbeat.map(at -> " It was last heard of at " + at + ".").orElse("");
    if (run.status() == RunStatus.CANCELLATION_REQUESTED) {
      return new Reason(
          Code.CANCELLING,
          "Worker %s was asked to stop; if it does not answer, the run is cancelled after %s."
                  .formatted(lease.workerId(), lease.expiresAt())
              + heard,
          details);
    }
    return lease.isExpiredAt(now)
        ? new Reason(
            Code.LEASE_EXPIRED,
            "Worker %s was lost: its lease ended at %s, and another worker takes the run over."
                    .formatted(lease.workerId(), lease.expiresAt())
                + heard,
            details)
        : new Reason(
            Code.LEASED,
            "Worker %s runs it and owns it until %s unless it sends a heartbeat."
                    .formatted(lease.workerId(), lease.expiresAt())
                + heard,
            details);
  }

  /** Full, and by which runs; empty when a slot is free. */
  private Future<Optional<Reason>> partition(RunRecord run, QueuePolicy policy, Instant now) {
    RunFilter filter = RunFilter.ALL
        .withStatuses(MAY_OCCUPY)
        .withQueues(List.of(run.queue()))
        .withConcurrencyKey(run.keys().concurrencyKey());
    RunSort oldest = new RunSort(RunSort.Field.CREATED_AT, SortDirection.ASC);
    ListRuns first = new ListRuns(context.environment(), filter, oldest, LOOKED_AT, null);
    return holders(run, policy, now, first, MOST_PAGES, List.of())
        .map(holders -> full(holders, policy));
  }

  /** Until there are enough: others of the queue, and of other queues, may fill the first pages. */
  private Future<List<RunRecord>> holders(
      RunRecord run,
      QueuePolicy policy,
      Instant now,
      ListRuns query,
      int pages,
      List<RunRecord> before) {
    return context.storage().listRuns(query).compose(page -> ReadableRuns.of(
            context, samePartition(run, page.data()))
        .compose(others -> {
          List<RunRecord> found = Stream.concat(
                  before.stream(),
                  others.runs().values().stream().filter(other -> other.occupiesSlotAt(now)))
              .toList();
          boolean isKnown = found.size() >= Objects.requireNonNull(policy.concurrencyLimit());
          return isKnown || pages <= 1 || page.nextCursor() == null
              ? Future.succeededFuture(found)
              : holders(run, policy, now, behind(query, page.nextCursor()), pages - 1, found);
        }));
  }

  private static ListRuns behind(ListRuns query, String cursor) {
    return new ListRuns(query.environment(), query.filter(), query.sort(), query.limit(), cursor);
  }

  private static List<String> samePartition(RunRecord run, List<RunSummary> summaries) {
    return summaries.stream()
        .filter(other -> !other.id().equals(run.id()))
        .filter(other -> Objects.equals(other.concurrencyKey(), run.keys().concurrencyKey()))
        .map(RunSummary::id)
        .toList();
  }

  private static Optional<Reason> full(List<RunRecord> holders, QueuePolicy policy) {
    int limit = Objects.requireNonNull(policy.concurrencyLimit());
    if (holders.size() < limit) {
      return Optional.empty();
    }
    String named =
        holders.stream().limit(NAMED).map(RunRecord::id).collect(Collectors.joining(", "));
    return Optional.of(new Reason(
        Code.PARTITION_FULL,
        "All %s slots of its partition are taken, by %s.".formatted(limit, named),
        Map.of("limit", String.valueOf(limit), "holders", named)));
  }
}
