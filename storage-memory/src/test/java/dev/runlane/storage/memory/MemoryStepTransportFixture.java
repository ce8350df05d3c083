package dev.runlane.storage.memory;

import dev.runlane.conformance.fixture.StepTransportFixture;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.StepResult;
import io.vertx.core.Future;
import java.util.function.UnaryOperator;

/** One transport in memory for all that a case opens, possibly broken. */
final class MemoryStepTransportFixture implements StepTransportFixture {
  private final MemoryStepTransport real = new MemoryStepTransport();
  private final StepTransport transport;

  MemoryStepTransportFixture(UnaryOperator<StepTransport> wrapping) {
    this.transport = wrapping.apply(real);
  }

  @Override
  public Future<StepTransport> open() {
    return transport.start().map(transport);
  }

  @Override
  public Future<Void> putResult(StepResult result) {
    real.putResult(result);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> breakInput(String stepId) {
    real.breakInput(stepId);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> putUnreadableResult(StepResult result) {
    real.putUnreadableResult(result);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> ownWithoutTime(String stepId) {
    real.ownWithoutTime(stepId);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> close() {
    return transport.close();
  }
}
