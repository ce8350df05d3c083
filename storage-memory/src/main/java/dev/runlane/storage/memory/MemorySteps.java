package dev.runlane.storage.memory;

import dev.runlane.run.Environment;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.memory.kept.PendingSteps;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import dev.runlane.storage.step.StepStorage;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Pending steps, each command under one hold of the lock. */
final class MemorySteps implements StepStorage {
  private final MemoryState state;
  private final Set<StorageCapability> capabilities;

  MemorySteps(MemoryState state, Set<StorageCapability> capabilities) {
    this.state = state;
    this.capabilities = capabilities;
  }

  @Override
  public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
    return call(
        "claimDueSteps",
        command.environment(),
        () -> CommandChecks.check(command),
        steps -> steps.claim(command));
  }

  @Override
  public Future<Set<String>> reschedulePendingSteps(ReschedulePendingSteps command) {
    return call(
        "reschedulePendingSteps",
        command.environment(),
        () -> CommandChecks.check(command),
        steps -> steps.move(command));
  }

  @Override
  public Future<Set<String>> removePendingSteps(RemovePendingSteps command) {
    return call(
        "removePendingSteps",
        command.environment(),
        () -> CommandChecks.check(command),
        steps -> steps.forget(command));
  }

  @Override
  public Future<Boolean> retryStep(RetryStep command) {
    return call(
        "retryStep",
        command.environment(),
        () -> CommandChecks.check(command),
        steps -> steps.retry(command));
  }

  @Override
  public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
    return call(
        "listPendingSteps",
        query.environment(),
        () -> CommandChecks.check(query),
        steps -> steps.list(query));
  }

  private <T> Future<T> call(
      String method, Environment environment, Runnable checks, Function<PendingSteps, T> work) {
    return state.call(method, () -> {
      checks.run();
      Capabilities.require(capabilities, StorageCapability.PERSISTS_STEPS, method);
      return state.in(environment, scope -> work.apply(scope.steps));
    });
  }
}
