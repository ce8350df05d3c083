package dev.runlane.conformance.race;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.model.AppendAll;
import dev.runlane.conformance.model.ModelMessage;
import dev.runlane.conformance.model.ModelStep;
import dev.runlane.conformance.model.PruneAndLook;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Commands of one seed, about so few runs, keys, queues and instants that those which are raced collide. */
final class RaceDraw {
  static final Environment HERE = new Environment("here");
  static final List<String> TASKS = List.of("task");
  static final List<String> RUNS = List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
  static final String KEY = "k";
  static final String NARROW = "narrow";
  static final String OCCURRENCE = "schedule@0";

  private static final List<Duration> DURATIONS =
      List.of(Duration.ofSeconds(1), Duration.ofSeconds(10), Given.MINUTE);
  private static final Instant FIRE = Given.NOON;

  final List<QueuePolicy> queues;

  /** Where the contenders meet. */
  final MeetingPoint meeting;

  private final Random random;
  private final StorageModel model;
  private final RunDraw runs;
  private Instant clock = Given.NOON;
  private @Nullable ClaimedOccurrence occurrence;

  RaceDraw(long seed, MeetingPoint meeting, StorageModel model, boolean withSteps) {
    this.random = new Random(seed * 31 + 17); // neighbouring seeds begin alike
    this.model = model;
    this.queues = List.of(
        QueuePolicy.bounded(NARROW, meeting == MeetingPoint.SLOT ? 1 : 1 + random.nextInt(2)),
        QueuePolicy.unbounded("wide"));
    this.meeting = meeting;
    this.runs = new RunDraw(random, model, queues, meeting, withSteps);
  }

  /** What makes each of these methods find something to do: each is drawn when those before it were answered. */
  List<Supplier<Optional<? extends Object>>> preparation(List<WriteMethod> methods) {
    List<Life> lives = new ArrayList<>();
    if (meeting != MeetingPoint.SLOT) {
      lives.add(anyOf(List.of(Life.values())));
    }
    methods.forEach(method -> lives.addAll(needed(method)));
    Collections.shuffle(lives, random);
    List<Supplier<Optional<? extends Object>>> commands = new ArrayList<>();
    lives
        .subList(0, Math.min(lives.size(), RUNS.size() - 4))
        .forEach(life -> commands.add(() -> Optional.of(runs.createAlone(life, tick()))));
    if (methods.contains(WriteMethod.REMOVE_STEPS)) {
      commands.add(() -> runs.endOfStep(tick()));
    }
    List<WriteMethod> more = meeting == MeetingPoint.SLOT
        ? List.of(WriteMethod.FOLLOW)
        : List.of(WriteMethod.RESERVE, WriteMethod.CLAIM, WriteMethod.FOLLOW);
    commands.add(() -> draw(anyOf(more), tick()));
    if (methods.stream().anyMatch(method -> method.name().startsWith("MARK"))) {
      commands.add(() -> draw(WriteMethod.CLAIM_MESSAGES, tick()));
    }
    if (methods.contains(WriteMethod.COMPLETE_OCCURRENCE) || random.nextInt(8) == 0) {
      commands.add(() -> draw(WriteMethod.CLAIM_OCCURRENCE, tick()));
    }
    if (methods.contains(WriteMethod.RESCHEDULE_STEPS)
        || methods.contains(WriteMethod.REMOVE_STEPS)) {
      commands.add(() -> draw(WriteMethod.CLAIM_STEPS, tick()));
    }
    return commands;
  }

  private static List<Life> needed(WriteMethod method) {
    return switch (method) {
      case CREATE, APPEND_ALL, RESET_KEY, PRUNE -> List.of(Life.ENDED);
      case FOLLOW, HEARTBEAT, RELEASE -> List.of(Life.RUNNING);
      case RESERVE, CLAIM -> List.of(Life.QUEUED);
      case CLAIM_RUNS, CLAIM_MESSAGES, MARK_PUBLISHED, MARK_FAILED, MARK_DEAD_LETTERED ->
        List.of(Life.QUEUED, Life.QUEUED);
      case CLAIM_STEPS, RESCHEDULE_STEPS, REMOVE_STEPS, RETRY_STEP -> List.of(Life.AWAITING_STEP);
      case CLAIM_OCCURRENCE, COMPLETE_OCCURRENCE, PUBLISH_QUEUES -> List.of();
    };
  }

  /** Remembers an answer, in the model's names. */
  void learn(@Nullable Object answer) {
    if (answer instanceof Optional<?> optional
        && optional.orElse(null) instanceof ClaimedOccurrence claimed) {
      occurrence = claimed;
    }
  }

  /** The instant of the race: one at which something ends or begins often, or the moment before. */
  Instant meet() {
    List<Instant> ahead =
        decisive().filter(instant -> !instant.isBefore(clock)).sorted().toList();
    clock = ahead.isEmpty() || random.nextInt(2) == 0
        ? clock.plusMillis(1)
        : anyOf(ahead).minusNanos(random.nextInt(4) == 0 ? 1_000 : 0);
    return clock;
  }

  private Stream<Instant> decisive() {
    return Stream.concat(
        Stream.ofNullable(occurrence).map(ClaimedOccurrence::claimExpiresAt),
        model.runs(HERE).flatMap(run -> Stream.of(
                Stream.ofNullable(run.record.runAt()),
                Stream.ofNullable(run.record.lease()).map(lease -> lease.expiresAt()),
                Stream.ofNullable(run.record.reservation()).map(held -> held.expiresAt()),
                run.messages.stream().map(ModelMessage::dueAt),
                run.steps.stream().map(step -> step.nextAt))
            .flatMap(each -> each)));
  }

  /** A command for this method; empty where there is nothing to name in it. */
  Optional<? extends Object> draw(WriteMethod method, Instant now) {
    try {
      return drawn(method, now);
    } catch (RunlaneException impossible) { // the reducer's word: no correct caller sends that
      return Optional.empty();
    }
  }

  private Optional<? extends Object> drawn(WriteMethod method, Instant now) {
    return switch (method) {
      case CREATE -> Optional.of(runs.create(now));
      case FOLLOW -> runs.follow(now);
      case APPEND_ALL -> Optional.of(batch(now));
      case RESERVE -> runs.reserve(now);
      case CLAIM -> runs.claim(now);
      case CLAIM_RUNS -> Optional.of(claimRuns(now));
      case HEARTBEAT -> runs.heartbeat(now);
      case RELEASE -> runs.release();
      case RESET_KEY -> Optional.of(new ResetIdempotencyKey(HERE, TASKS.get(0), KEY, now));
      case PRUNE -> Optional.of(prune(now));
      case CLAIM_MESSAGES ->
        Optional.of(new ClaimOutboxMessages(HERE, now, duration(), 1 + random.nextInt(3), null));
      case MARK_PUBLISHED, MARK_FAILED, MARK_DEAD_LETTERED -> mark(method, now);
      case CLAIM_OCCURRENCE ->
        Optional.of(
            new ClaimScheduleOccurrence(HERE, "schedule", OCCURRENCE, FIRE, now, duration()));
      case COMPLETE_OCCURRENCE ->
        Optional.ofNullable(occurrence)
            .map(claim -> new CompleteScheduleOccurrence(
                HERE, OCCURRENCE, claim.claimToken(), List.of(anyOf(RUNS)), now, "task"));
      case CLAIM_STEPS ->
        Optional.of(new ClaimDueSteps(HERE, now, duration(), 1 + random.nextInt(2)));
      case RESCHEDULE_STEPS, REMOVE_STEPS, RETRY_STEP -> mark(method, now, claimedSteps());
      case PUBLISH_QUEUES ->
        Optional.of(new PublishQueues(
            HERE, anyOf(List.of("p", "q")), queues.subList(0, random.nextInt(3)), now, duration()));
    };
  }

  private AppendAll batch(Instant now) {
    List<AppendRunEvents> commands = new ArrayList<>();
    commands.add(runs.create(now));
    runs.follow(now).ifPresent(commands::add);
    Collections.shuffle(commands, random);
    return new AppendAll(commands);
  }

  private ClaimRuns claimRuns(Instant now) {
    boolean areNamed = random.nextInt(3) == 0;
    return new ClaimRuns(
        HERE,
        areNamed ? queues.stream().filter(queue -> !queue.isBounded()).toList() : queues,
        TASKS,
        Given.WORKER,
        runs.token(),
        duration(),
        now,
        1 + random.nextInt(3),
        areNamed ? RUNS : null);
  }

  private PruneAndLook prune(Instant now) {
    return new PruneAndLook(
        new PruneRuns(
            HERE,
            Set.of(),
            now.plusNanos(1_000),
            now,
            random.nextInt(2) == 0 ? null : 1 + random.nextInt(2),
            null),
        RUNS);
  }

  private Optional<? extends Object> mark(WriteMethod how, Instant now) {
    List<ModelMessage> claimed = model
        .runs(HERE)
        .flatMap(run -> run.messages.stream())
        .filter(message -> message.claimToken != null)
        .toList();
    if (claimed.isEmpty()) {
      return Optional.empty();
    }
    List<ModelMessage> some = random.nextInt(2) == 0 ? claimed : List.of(anyOf(claimed));
    return Optional.of(
        switch (how) {
          case MARK_PUBLISHED ->
            new MarkOutboxMessagesPublished(
                HERE,
                some.stream()
                    .map(each -> new MarkOutboxMessagesPublished.Published(
                        each.id, String.valueOf(each.claimToken), null))
                    .toList(),
                now);
          case MARK_FAILED ->
            new MarkOutboxMessagesFailed(
                HERE,
                some.stream()
                    .map(each -> new MarkOutboxMessagesFailed.Failed(
                        each.id, String.valueOf(each.claimToken), Given.FAILURE, now))
                    .toList(),
                now);
          default ->
            new MarkOutboxMessagesDeadLettered(
                HERE,
                some.stream()
                    .map(each -> new MarkOutboxMessagesDeadLettered.DeadLettered(
                        each.id, String.valueOf(each.claimToken), Given.FAILURE))
                    .toList(),
                now);
        });
  }

  private List<ModelStep> claimedSteps() {
    return model
        .runs(HERE)
        .flatMap(run -> run.steps.stream())
        .filter(step -> step.token != null)
        .toList();
  }

  private Optional<? extends Object> mark(WriteMethod how, Instant now, List<ModelStep> claimed) {
    if (how == WriteMethod.RETRY_STEP) {
      return anyOf(model.runs(HERE).flatMap(run -> run.steps.stream()))
          .map(step ->
              new RetryStep(HERE, runOf(step), step.id(), step.attempt, now, now.plusSeconds(1)));
    }
    if (claimed.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        how == WriteMethod.REMOVE_STEPS
            ? new RemovePendingSteps(
                HERE,
                claimed.stream()
                    .map(step -> new RemovePendingSteps.Removal(
                        runOf(step), step.id(), String.valueOf(step.token)))
                    .toList())
            : new ReschedulePendingSteps(
                HERE,
                claimed.stream()
                    .map(step -> new ReschedulePendingSteps.NextCheck(
                        runOf(step), step.id(), String.valueOf(step.token), now, now))
                    .toList()));
  }

  private static String runOf(ModelStep step) {
    return step.request.header().runId();
  }

  private Instant tick() {
    clock =
        clock.plus(anyOf(List.of(Duration.ZERO, Duration.ofNanos(1_000), Duration.ofMillis(300))));
    return clock;
  }

  private Duration duration() {
    return anyOf(DURATIONS);
  }

  <T> T anyOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private <T> Optional<T> anyOf(Stream<T> all) {
    List<T> list = all.toList();
    return list.isEmpty() ? Optional.empty() : Optional.of(anyOf(list));
  }

  /** What is read after a command is read by a clock that is not behind its own. */
  void notBefore(Instant instant) {
    if (clock.isBefore(instant)) {
      clock = instant;
    }
  }

  /** The instant of the race, or of what comes before it. */
  Instant now() {
    return clock;
  }

  /** How many of the ids may be those of runs. */
  int usedRuns() {
    return Math.min(RUNS.size(), (int) model.runs(HERE).count() + 4);
  }

  /** From 0 to one less. */
  int upTo(int bound) {
    return random.nextInt(bound);
  }
}
