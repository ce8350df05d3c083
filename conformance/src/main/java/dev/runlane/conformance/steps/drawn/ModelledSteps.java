package dev.runlane.conformance.steps.drawn;

import dev.runlane.conformance.drawn.Modelled;
import dev.runlane.conformance.model.Names;
import dev.runlane.steps.StepTransport;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** The contract of step transports, without what programs of others do to the tables. */
public final class ModelledSteps implements Modelled<StepTransport, StepModel> {
  @Override
  public StepModel model(Names names) {
    return new StepModel(names);
  }

  @Override
  public Future<@Nullable Object> answer(StepTransport transport, Object command) {
    return StepCalls.transport(transport, command);
  }

  @Override
  public @Nullable Object expected(StepModel model, Object command, @Nullable Object answer) {
    return StepCalls.model(model, command, answer);
  }
}
