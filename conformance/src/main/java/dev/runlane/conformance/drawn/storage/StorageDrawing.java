package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.drawn.Drawing;
import dev.runlane.conformance.drawn.Shape;
import dev.runlane.conformance.drawn.Spoiler;
import dev.runlane.conformance.model.ModelMessage;
import dev.runlane.conformance.model.ModelRun;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The commands of one seed for a storage. */
final class StorageDrawing implements Drawing {
  private final StorageDraw draw;
  private final StorageModel model;
  private final Shown shown = new Shown();
  private final Abilities can;
  private final DrawnWrites writes;
  private final DrawnRest rest;
  private final DrawnReads reads;
  private final DrawnOperations operations;
  private final boolean operated;

  /**
   * Of one seed.
   *
   * @param rebinds whether queues get and lose limits on the way
   * @param operated whether operators take part
   */
  StorageDrawing(long seed, StorageModel model, Abilities can, boolean rebinds, boolean operated) {
    this.draw = new StorageDraw(seed, rebinds);
    draw.decidedAt(this::decisive);
    this.model = model;
    this.can = can;
    this.writes = new DrawnWrites(draw, model, can.steps());
    this.rest = new DrawnRest(draw, model, shown);
    this.reads = new DrawnReads(draw, model, shown, can);
    this.operations = new DrawnOperations(draw, model, shown, rest, reads, seed % 5 == 0);
    this.operated = operated;
  }

  @Override
  public Object next() {
    draw.goOn(decisive());
    if (draw.oneIn(15)) {
      draw.changeALimit();
    }
    for (; ; ) {
      Optional<Object> sent = possible();
      if (sent.isPresent()) {
        return sent.get();
      }
    }
  }

  /** Empty where no correct caller sends what was drawn, which is the reducer's word or the model's. */
  private Optional<Object> possible() {
    try {
      Object drawn = command().orElse(null);
      Object sent = drawn != null && draw.oneIn(12) ? Spoiler.spoil(drawn, draw.random()) : drawn;
      return sent != null && model.isHonest(sent) && mayBeSent(sent)
          ? Optional.of(sent)
          : Optional.empty();
    } catch (RunlaneException impossible) {
      return Optional.empty();
    }
  }

  private Optional<? extends Object> command() {
    if (operated && !draw.oneIn(3)) {
      return Optional.of(operations.command());
    }
    return switch (draw.upTo(44)) {
      case 0, 1, 2, 3, 4, 5, 6 -> Optional.of(writes.create());
      case 7, 8, 9, 10, 11, 12 -> writes.follow();
      case 13, 14, 15 -> writes.claim();
      case 16, 17 -> writes.reserve();
      case 18 -> writes.heartbeat();
      case 19 -> draw.oneIn(3) ? writes.release() : writes.heartbeat();
      case 20, 21 -> can.batch() ? Optional.of(writes.claimRuns()) : Optional.empty();
      case 22, 23 -> can.batch() ? Optional.of(writes.batch()) : Optional.empty();
      case 24, 25 -> Optional.of(rest.claimOutbox());
      case 26, 27 -> Optional.of(rest.markOutbox());
      case 28 -> Optional.of(rest.reset());
      case 29, 39, 40 -> Optional.of(rest.prune());
      case 30, 31 -> can.steps() ? Optional.of(rest.claimSteps()) : Optional.empty();
      case 32, 33, 34, 35 -> can.steps() ? Optional.of(rest.markSteps()) : Optional.empty();
      case 36, 41 -> Optional.of(rest.claimOccurrence());
      case 37, 42, 43 -> Optional.of(rest.completeOccurrence());
      default -> can.queueLimits() ? Optional.of(rest.publishQueues()) : Optional.empty();
    };
  }

  @Override
  public Object look() {
    Object read = operated && !draw.oneIn(3) ? operations.read() : reads.any();
    Object sent = draw.oneIn(25) ? Spoiler.spoil(read, draw.random()) : read;
    boolean isUnknown =
        sent instanceof ListOccupied query && !draw.boundedQueues().contains(query.queue());
    return mayBeSent(sent) && !isUnknown ? sent : read;
  }

  private boolean mayBeSent(Object command) {
    boolean rebinds = rebinds(command);
    if (rebinds) {
      draw.doubtLimits();
    }
    return draw.rebinds || !rebinds;
  }

  /** Whether a command takes a queue with a limit for one without, or the other way round. */
  private boolean rebinds(@Nullable Object value) {
    if (value instanceof ListRunsNeedingDelivery query) {
      return query.queues().stream().anyMatch(queue -> draw.policy(queue).isBounded());
    }
    if (value instanceof TakeResumedRuns take) {
      return take.queues().stream().anyMatch(queue -> draw.policy(queue).isBounded());
    }
    if (value instanceof QueuePolicy policy) {
      return policy.isBounded() != draw.policy(policy.queue()).isBounded();
    }
    if (value instanceof List<?> list) {
      return list.stream().anyMatch(this::rebinds);
    }
    return value instanceof Record
        && Shape.of(value).partsOf(value).stream().anyMatch(this::rebinds);
  }

  @Override
  public boolean looks() {
    return !draw.oneIn(3);
  }

  @Override
  public List<Object> everything() {
    return Stream.concat(
            Stream.concat(
                operated ? operations.everything().stream() : Stream.empty(),
                reads.everything().stream()),
            draw.environments.stream().map(rest::claimAllOutbox))
        .toList();
  }

  @Override
  public void learn(Object command, @Nullable Object answer) {
    shown.learn(command, answer);
  }

  private Stream<Instant> decisive() {
    Stream<Instant> ofRuns = draw.environments.stream()
        .flatMap(model::runs)
        .flatMap(run -> Stream.concat(
            decisive(run.record),
            Stream.concat(
                run.messages.stream().map(ModelMessage::dueAt),
                run.steps.stream().map(step -> step.nextAt))));
    return Stream.of(
            ofRuns,
            shown.ends(),
            model.webhooks.decisive(),
            model.alerts.decisive(),
            model.pauses.decisive(),
            model.processes.decisive())
        .flatMap(each -> each);
  }

  private static Stream<Instant> decisive(RunRecord run) {
    return Stream.of(
            Optional.ofNullable(run.runAt()),
            Optional.ofNullable(run.runAt()).map(at -> at.plusSeconds(5)),
            Optional.ofNullable(run.lease()).map(lease -> lease.expiresAt()),
            Optional.ofNullable(run.reservation()).map(held -> held.expiresAt()),
            Optional.of(run.updatedAt()),
            ModelRun.retentionEnd(run))
        .flatMap(Optional::stream);
  }
}
