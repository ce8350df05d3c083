package dev.runlane.conformance.model;

import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.OutboxDepth;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.depth.StepDepth;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about what waits, and about who holds slots. */
public final class ModelDepths {
  private static final Duration LONG = Duration.ofHours(1);

  private final StorageModel model;
  private final Map<Environment, Sample> samples = new HashMap<>(); // the latest

  public ModelDepths(StorageModel model) {
    this.model = model;
  }

  /** A sample of a time so far ahead that a clock must have been wrong makes nobody wait. */
  public boolean take(TakeSample command) {
    OperatorChecks.check(command);
    Sample before = samples.get(command.environment());
    if (before != null
        && before.takenAt.isAfter(command.now().minus(command.every()))
        && !before.takenAt.isAfter(command.now().plus(command.every()))) {
      return false;
    }
    samples.put(command.environment(), counted(command.environment(), command.now()));
    return true;
  }

  /**
   * Whether a very long lease counts as held or as later is the storage's, and whether a reservation counts in a queue
   * without a limit.
   */
  @SuppressWarnings("NullableOptional") // null where the storage failed
  public Optional<DepthSample> latest(GetSample query, @Nullable Optional<DepthSample> answer) {
    OperatorChecks.check(query);
    List<QueueDepth> told =
        answer == null ? List.of() : answer.map(DepthSample::queues).orElse(List.of());
    return Optional.ofNullable(samples.get(query.environment()))
        .map(sample -> new DepthSample(
            sample.takenAt,
            sample.queues.stream().map(queue -> queue.as(told)).toList(),
            sample.outbox,
            sample.steps));
  }

  /**
   * Whether a reservation that has ended by anybody's clock still counts is the storage's: it is cleared by somebody,
   * sometime.
   */
  public List<OccupiedPartition> occupied(
      ListOccupied query, @Nullable List<OccupiedPartition> answer) {
    OperatorChecks.check(query);
    Map<@Nullable String, List<RunRecord>> partitions = new HashMap<>();
    model
        .runs(query.environment())
        .map(run -> run.record)
        .filter(run -> run.queue().equals(query.queue()))
        .filter(run -> run.status().isLeased() || run.reservation() != null)
        .forEach(run -> partitions
            .computeIfAbsent(run.keys().concurrencyKey(), key -> new ArrayList<>())
            .add(run));
    List<OccupiedPartition> all = new ArrayList<>();
    partitions.forEach((key, runs) -> {
      Instant now = model.latest(query.now());
      OccupiedPartition least = new OccupiedPartition(
          key, (int) runs.stream().filter(run -> run.occupiesSlotAt(now)).count());
      all.add(Stream.ofNullable(answer)
          .flatMap(List::stream)
          .filter(told -> Objects.equals(told.concurrencyKey(), key)
              && told.occupied() > least.occupied()
              && told.occupied() <= runs.size())
          .findFirst()
          .orElse(least));
    });
    return all.stream()
        .filter(each -> each.occupied() > 0)
        .sorted(Comparator.comparing(OccupiedPartition::occupied)
            .reversed()
            .thenComparing(
                OccupiedPartition::concurrencyKey, Comparator.nullsFirst(Identifiers.ORDER)))
        .limit(query.limit())
        .toList();
  }

  private Sample counted(Environment environment, Instant now) {
    Instant far = now.plus(model.processes.longestLease(environment, now).orElse(LONG));
    List<Counted> queues = model
        .runs(environment)
        .map(run -> run.record)
        .filter(run -> run.status().isActive())
        .map(RunRecord::queue)
        .distinct()
        .sorted(Identifiers.ORDER)
        .map(queue -> counted(environment, queue, now, far))
        .toList();
    return new Sample(now, queues, messages(environment, now), steps(environment, now));
  }

  private List<StepDepth> steps(Environment environment, Instant now) {
    List<StepDepth> waiting = model
        .runs(environment)
        .flatMap(run -> run.steps.stream())
        .map(ModelStep::shown)
        .filter(step -> !step.runEnded())
        .filter(step -> step.dispatchedAt() != null || !step.nextAt().isAfter(now))
        .map(step -> new StepDepth(
            Objects.requireNonNull(step.request().group()),
            1,
            step.dispatchedAt() == null ? step.nextAt() : step.dispatchedAt()))
        .toList();
    return waiting.stream()
        .map(StepDepth::group)
        .distinct()
        .sorted(Identifiers.ORDER)
        .map(group ->
            together(waiting.stream().filter(step -> step.group().equals(group)).toList()))
        .toList();
  }

  private static StepDepth together(List<StepDepth> ofGroup) {
    return new StepDepth(
        ofGroup.get(0).group(),
        ofGroup.size(),
        ofGroup.stream().map(StepDepth::oldestAt).min(Comparator.naturalOrder()).orElseThrow());
  }

  private Counted counted(Environment environment, String queue, Instant now, Instant far) {
    List<RunRecord> runs = model
        .runs(environment)
        .map(run -> run.record)
        .filter(run -> run.status().isActive() && run.queue().equals(queue))
        .toList();
    Predicate<RunRecord> waits = run -> !freeAt(run).isAfter(now);
    Predicate<RunRecord> isHeld =
        waits.negate().and(run -> run.lease() != null || run.reservation() != null);
    long waiting = runs.stream().filter(waits).count();
    long held = runs.stream().filter(isHeld).count();
    QueueDepth depth = new QueueDepth(
        queue,
        waiting,
        runs.size() - waiting - held,
        held,
        runs.stream()
            .filter(waits)
            .map(ModelDepths::freeAt)
            .min(Comparator.naturalOrder())
            .orElse(null));
    List<RunRecord> available = runs.stream()
        .filter(run -> run.lease() == null && run.reservation() != null)
        .filter(run -> !availableAt(run).isAfter(now))
        .toList();
    return new Counted(
        depth,
        runs.stream()
            .filter(isHeld)
            .filter(run -> run.lease() != null && freeAt(run).isAfter(far))
            .count(),
        available.stream().filter(isHeld).count(),
        available.stream().map(ModelDepths::availableAt).toList());
  }

  /** When somebody may do something about the run: its worker or its reservation is over, or its time has come. */
  private static Instant freeAt(RunRecord run) {
    if (run.lease() != null) {
      return run.lease().expiresAt();
    }
    return run.reservation() != null ? run.reservation().expiresAt() : availableAt(run);
  }

  private static Instant availableAt(RunRecord run) {
    return RunDueTimes.runnableAvailableAt(run).orElse(run.updatedAt());
  }

  private OutboxDepth messages(Environment environment, Instant now) {
    List<ModelMessage> all = model.outbox.all(environment).toList();
    return new OutboxDepth(
        count(all, OutboxMessageStatus.PENDING),
        count(all, OutboxMessageStatus.CLAIMED),
        count(all, OutboxMessageStatus.FAILED),
        count(all, OutboxMessageStatus.DEAD_LETTERED),
        all.stream()
            .filter(message -> message.isDueAt(now))
            .map(ModelMessage::dueAt)
            .min(Comparator.naturalOrder())
            .orElse(null));
  }

  private static long count(List<ModelMessage> messages, OutboxMessageStatus status) {
    return messages.stream().filter(message -> message.status == status).count();
  }

  private record Sample(
      Instant takenAt, List<Counted> queues, OutboxDepth outbox, List<StepDepth> steps) {}

  /**
   * @param longHeld how many of those that are held may count as later
   * @param reserved how many of them have a reservation that does not count where their queue has no limit any more
   * @param available since when such runs, and those whose reservation is over, are available without it
   */
  private record Counted(QueueDepth depth, long longHeld, long reserved, List<Instant> available) {
    QueueDepth as(List<QueueDepth> told) {
      return told.stream().filter(this::mayBe).findFirst().orElse(depth);
    }

    private boolean mayBe(QueueDepth told) {
      long later = told.later() - depth.later();
      long freed = told.waiting() - depth.waiting();
      return told.queue().equals(depth.queue())
          && later >= 0
          && later <= longHeld
          && freed >= 0
          && freed <= reserved
          && told.held() == depth.held() - later - freed
          && mayBeOldest(told.oldestDueAt());
    }

    private boolean mayBeOldest(@Nullable Instant told) {
      Instant oldest = depth.oldestDueAt();
      return Objects.equals(told, oldest)
          || (told != null
              && available.contains(told)
              && (oldest == null || told.isBefore(oldest)));
    }
  }
}
