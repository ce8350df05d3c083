package dev.runlane.conformance.race.steps;

import dev.runlane.conformance.drawn.Modelled;
import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.race.order.Played;
import dev.runlane.conformance.race.order.Raced;
import dev.runlane.conformance.race.order.Scene;
import dev.runlane.conformance.steps.drawn.DispatchMissing;
import dev.runlane.conformance.steps.drawn.ModelledSteps;
import dev.runlane.conformance.steps.drawn.StepModel;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.WithdrawSteps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

/** Step transports, whose commands are raced. */
public final class RacedSteps implements Raced<StepTransport, StepModel> {
  private static final Instant LATE = Instant.parse("9000-01-01T00:00:00Z");

  private final ModelledSteps contract = new ModelledSteps();

  @Override
  public Modelled<StepTransport, StepModel> contract() {
    return contract;
  }

  /** Transports may remember how far they got for a while; a claim that finds less than it wants ends that. */
  @Override
  public void begin(List<StepTransport> transports) {
    Duration lease = Duration.ofSeconds(1);
    for (StepTransport each : transports) {
      Outcomes.done(
          each.claimStepTasks(new ClaimStepTasks(StepScene.GROUPS, "nobody", LATE, lease, 1_000)));
    }
    StepTransport first = transports.get(0);
    Outcomes.done(first.withdrawSteps(new WithdrawSteps(StepScene.IDS)));
    Outcomes.done(first.discardStepResults(
        new DiscardStepResults(StepScene.IDS, LATE, LATE.plusSeconds(60), lease)));
  }

  @Override
  public Scene scene(long seed, StepModel model) {
    return new StepScene(seed, model);
  }

  /** "Outcome i belongs to step i": of several in one command each stands alone. */
  @Override
  public List<Played> parts(Played whole) {
    Object command = whole.step().command();
    if (!(whole.answer() instanceof List<?> answers)) {
      return List.of(whole);
    }
    if (command instanceof DispatchSteps dispatch) {
      return parts(
          whole,
          dispatch.steps(),
          answers,
          step -> new DispatchSteps(List.of(step), dispatch.now()));
    }
    if (command instanceof RecordStepResults record) {
      return parts(
          whole,
          record.results(),
          answers,
          ended -> new RecordStepResults(List.of(ended), record.now()));
    }
    if (command instanceof SettleStepResults settle) {
      return parts(
          whole,
          settle.settlements(),
          answers,
          each -> new SettleStepResults(List.of(each), settle.now()));
    }
    return List.of(whole);
  }

  private static <T> List<Played> parts(
      Played whole, List<T> all, List<?> answers, Function<T, Object> one) {
    List<Played> parts = new ArrayList<>();
    for (int i = 0; i < Math.min(all.size(), answers.size()); i++) {
      Step step = new Step(whole.step().number() + 1 + i, one.apply(all.get(i)));
      parts.add(new Played(step, List.of(answers.get(i))));
    }
    return parts;
  }

  @Override
  public void letPassOver(StepModel model, List<Object> others, BooleanSupplier maybe) {
    model.letPassOver(id -> others.stream().anyMatch(other -> mayHold(other, id)));
  }

  private static boolean mayHold(Object command, String id) {
    return command instanceof ClaimStepTasks || named(command).anyMatch(id::equals);
  }

  /** The steps whose rows a command may hold while it is under way. */
  private static Stream<String> named(Object command) {
    if (command instanceof DispatchSteps dispatch) {
      return dispatch.steps().stream().map(StepTask::stepId);
    }
    if (command instanceof DispatchMissing dispatch) {
      return dispatch.dispatch().steps().stream().map(StepTask::stepId);
    }
    if (command instanceof WithdrawSteps withdraw) {
      return withdraw.stepIds().stream();
    }
    if (command instanceof RenewStepTasks renew) {
      return renew.claims().stream().map(StepClaim::stepId);
    }
    if (command instanceof ReleaseStepTasks release) {
      return release.claims().stream().map(StepClaim::stepId);
    }
    if (command instanceof RecordStepResults record) {
      return record.results().stream().map(each -> each.claim().stepId());
    }
    if (command instanceof SettleStepResults settle) {
      return settle.settlements().stream().map(each -> each.claim().stepId());
    }
    if (command instanceof ReleaseStepResults release) {
      return release.claims().stream().map(StepClaim::stepId);
    }
    if (command instanceof DiscardStepResults discard) {
      return discard.stepIds().stream();
    }
    return command instanceof ClaimStepResults claim ? claim.stepIds().stream() : Stream.empty();
  }
}
