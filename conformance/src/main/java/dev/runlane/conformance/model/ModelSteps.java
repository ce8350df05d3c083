package dev.runlane.conformance.model;

import dev.runlane.operator.step.ListStepGroups;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunEvent;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about pending steps. */
public final class ModelSteps {
  private final StorageModel model;
  private final Names names;
  private final ModelPages pages;

  public ModelSteps(StorageModel model, Names names) {
    this.model = model;
    this.names = names;
    this.pages = new ModelPages(names);
  }

  /** Follows a run that has become what it is by these events. */
  public void follow(ModelRun run, List<? extends RunEvent> events) {
    boolean ended = run.record.status().isTerminal();
    for (RunEvent event : events) {
      if (event instanceof RunEvent.StepRequested request && request.isRemote() && !ended) {
        run.steps.removeIf(step -> step.id().equals(request.stepId()));
        run.steps.add(new ModelStep(request));
      }
      if (event instanceof RunEvent.StepCompleted result) {
        run.steps.removeIf(step -> step.id().equals(result.stepId()));
      }
    }
    if (ended) {
      for (ModelStep step : run.steps) {
        step.runEnded = true;
        step.nextAt = run.record.updatedAt();
        step.token = null;
      }
    }
  }

  public List<ClaimedStep> claim(ClaimDueSteps command, @Nullable List<ClaimedStep> answer) {
    CommandChecks.check(command);
    String token = names.make("token");
    List<ClaimedStep> claimed = new ArrayList<>();
    for (ModelStep step : model
        .runs(command.environment())
        .flatMap(run -> run.steps.stream()
            .filter(step -> answer == null || !model.isHeldByOthers(run) || isIn(answer, step)))
        .filter(step -> !step.nextAt.isAfter(command.now()))
        .sorted(Comparator.comparing((ModelStep step) -> step.nextAt)
            .thenComparing(ModelStep::id, Identifiers.ORDER))
        .limit(command.limit())
        .toList()) {
      step.token = token;
      step.nextAt = command.now().plus(command.claimFor()).truncatedTo(ChronoUnit.MICROS);
      claimed.add(new ClaimedStep(token, step.shown()));
    }
    return claimed;
  }

  private static boolean isIn(List<ClaimedStep> answer, ModelStep step) {
    return answer.stream().anyMatch(each -> each.step().stepId().equals(step.id()));
  }

  public Set<String> move(ReschedulePendingSteps command) {
    CommandChecks.check(command);
    Set<String> moved = new HashSet<>();
    for (ReschedulePendingSteps.NextCheck move : command.moves()) {
      find(command.environment(), move.stepId())
          .filter(step -> move.token().equals(step.token))
          .ifPresent(step -> {
            step.nextAt = move.checkAt();
            step.dispatchedAt = move.dispatchedAt();
            step.token = null;
            moved.add(step.id());
          });
    }
    return moved;
  }

  public Set<String> forget(RemovePendingSteps command) {
    CommandChecks.check(command);
    Set<String> forgotten = new HashSet<>();
    for (RemovePendingSteps.Removal forget : command.steps()) {
      find(command.environment(), forget.stepId())
          .filter(step -> forget.token().equals(step.token) && step.runEnded)
          .ifPresent(step -> {
            model
                .find(command.environment(), forget.runId())
                .orElseThrow()
                .steps
                .remove(step);
            forgotten.add(step.id());
          });
    }
    return forgotten;
  }

  public boolean retry(RetryStep command) {
    CommandChecks.check(command);
    Optional<ModelStep> found = find(command.environment(), command.stepId())
        .filter(step -> step.attempt == command.attempt() && !step.runEnded);
    found.ifPresent(step -> {
      step.attempt++;
      step.nextAt = command.nextAt();
      step.dispatchedAt = null;
      step.lastResultAt = command.resultAt();
      step.token = null;
    });
    return found.isPresent();
  }

  public List<PendingStep> list(ListPendingSteps query) {
    CommandChecks.check(query);
    return model.find(query.environment(), query.runId()).stream()
        .flatMap(run -> run.steps.stream())
        .filter(step -> query.stepId() == null || query.stepId().equals(step.id()))
        .sorted(Comparator.comparing(ModelStep::position))
        .map(ModelStep::shown)
        .toList();
  }

  /** A page for operators. */
  public Page<WaitingStep> page(ListSteps query) {
    OperatorChecks.check(query);
    return pages.page(
        Arrays.asList("steps", query.environment(), query.runId(), query.group()),
        all(query.environment())
            .map(ModelSteps::waiting)
            .filter(step -> query.runId() == null || query.runId().equals(step.runId()))
            .filter(step -> query.group() == null || query.group().equals(step.group())),
        Comparator.comparing(WaitingStep::id, Identifiers.ORDER),
        query.limit(),
        query.cursor());
  }

  /** Groups whose workers steps of active runs wait for. */
  public Page<StepGroup> groups(ListStepGroups query) {
    OperatorChecks.check(query);
    Map<String, List<WaitingStep>> groups = new TreeMap<>(Identifiers.ORDER);
    all(query.environment())
        .map(ModelSteps::waiting)
        .filter(step -> !step.runEnded())
        .forEach(step ->
            groups.computeIfAbsent(step.group(), name -> new ArrayList<>()).add(step));
    return new Page<>(
        groups.entrySet().stream()
            .map(group -> group(group.getKey(), group.getValue()))
            .toList(),
        null);
  }

  private static WaitingStep waiting(ModelStep step) {
    return new WaitingStep(
        step.id(),
        step.request.header().runId(),
        step.request.name(),
        Objects.requireNonNull(step.request.group()),
        step.attempt,
        step.request.header().occurredAt(),
        step.dispatchedAt,
        step.nextAt,
        Objects.requireNonNull(step.request.dispatch()).deadlineAt(),
        step.runEnded);
  }

  private static StepGroup group(String name, List<WaitingStep> steps) {
    return new StepGroup(
        name,
        steps.size(),
        steps.stream().filter(step -> step.dispatchedAt() != null).count(),
        steps.stream().mapToInt(WaitingStep::attempt).max().orElseThrow(),
        steps.stream()
            .map(step -> Objects.requireNonNull(step.requestedAt()))
            .min(Comparator.naturalOrder())
            .orElseThrow(),
        steps.stream()
            .map(WaitingStep::deadlineAt)
            .min(Comparator.naturalOrder())
            .orElseThrow());
  }

  /** A step's id begins with its run's. */
  private Optional<ModelStep> find(Environment environment, String stepId) {
    return all(environment).filter(step -> step.id().equals(stepId)).findFirst();
  }

  public Stream<ModelStep> all(Environment environment) {
    return model.runs(environment).flatMap(run -> run.steps.stream());
  }
}
