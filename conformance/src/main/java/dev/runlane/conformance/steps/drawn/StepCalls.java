package dev.runlane.conformance.steps.drawn;

import dev.runlane.conformance.fixture.StepTransportFixture;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.WithdrawSteps;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Which method of the model and which of a transport a command is for. */
final class StepCalls {
  private static final Map<Class<?>, Call<Object, @Nullable Object>> CALLS = new HashMap<>();

  static {
    addFree(DispatchSteps.class, StepModel::dispatch, StepTransport::dispatchSteps);
    addFree(
        DispatchMissing.class,
        (model, command, answer) -> model.dispatchMissing(command.dispatch(), answer),
        (transport, command) -> transport.dispatchMissingSteps(command.dispatch()));
    add(WithdrawSteps.class, StepModel::withdraw, StepTransport::withdrawSteps);
    add(ListMissingSteps.class, StepModel::missing, StepTransport::listMissingSteps);
    addFree(ListStepTasks.class, StepModel::list, StepTransport::listStepTasks);
    add(ListStepResults.class, StepModel::list, StepTransport::listStepResults);
    addFree(ClaimStepResults.class, StepModel::claim, StepTransport::claimStepResults);
    add(SettleStepResults.class, StepModel::settle, StepTransport::settleStepResults);
    add(ReleaseStepResults.class, StepModel::release, StepTransport::releaseStepResults);
    add(DiscardStepResults.class, StepModel::discard, StepTransport::discardStepResults);
    addFree(ClaimStepTasks.class, StepModel::claim, StepTransport::claimStepTasks);
    add(RenewStepTasks.class, StepModel::renew, StepTransport::renewStepTasks);
    add(RecordStepResults.class, StepModel::record, StepTransport::recordStepResults);
    add(ReleaseStepTasks.class, StepModel::release, StepTransport::releaseStepTasks);
  }

  private StepCalls() {}

  static Future<@Nullable Object> transport(
      StepTransport transport, StepTransportFixture fixture, Object command) {
    return command instanceof PutResult put
        ? fixture.putResult(put.result()).map(written -> null)
        : transport(transport, command);
  }

  static Future<@Nullable Object> transport(StepTransport transport, Object command) {
    return of(command).transport().apply(transport, command);
  }

  static @Nullable Object model(StepModel model, Object command, @Nullable Object answer) {
    return command instanceof PutResult put
        ? model.put(put.result())
        : of(command).model().of(model, command, answer);
  }

  private static Call<Object, @Nullable Object> of(Object command) {
    return Objects.requireNonNull(CALLS.get(command.getClass()), "no transport takes this");
  }

  private record Call<C, A extends @Nullable Object>(
      BiFunction<StepTransport, C, Future<A>> transport, Expectation<C, A> model) {}

  /** The right answer, which is the transport's where it may choose; that is null where it failed. */
  private interface Expectation<C, A extends @Nullable Object> {
    @Nullable
    Object of(StepModel model, C command, @Nullable A answer);
  }

  private static <C, A extends @Nullable Object> void add(
      Class<C> command,
      BiFunction<StepModel, C, ? extends @Nullable Object> model,
      BiFunction<StepTransport, C, Future<A>> transport) {
    addFree(command, (of, given, answer) -> model.apply(of, given), transport);
  }

  @SuppressWarnings("unchecked") // a call is looked up by the class of its command
  private static <C, A extends @Nullable Object> void addFree(
      Class<C> command,
      Expectation<C, A> model,
      BiFunction<StepTransport, C, Future<A>> transport) {
    CALLS.put(command, (Call<Object, @Nullable Object>) (Call<?, ?>) new Call<>(transport, model));
  }
}
