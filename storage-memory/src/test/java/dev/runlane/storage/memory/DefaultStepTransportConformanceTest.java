package dev.runlane.storage.memory;

import dev.runlane.conformance.StepTransportConformanceSuite;
import dev.runlane.conformance.fixture.StepTransportFixture;
import dev.runlane.steps.StepTransport;
import io.vertx.core.Vertx;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/** What the contract itself implements keeps the contract. */
class DefaultStepTransportConformanceTest extends StepTransportConformanceSuite {
  @Override
  protected StepTransportFixture fixture(Vertx vertx) {
    return new MemoryStepTransportFixture(DefaultStepTransportConformanceTest::withDefaults);
  }

  /** All but what only the tables can tell. */
  private static StepTransport withDefaults(StepTransport real) {
    return (StepTransport) Proxy.newProxyInstance(
        StepTransport.class.getClassLoader(),
        new Class<?>[] {StepTransport.class},
        (proxy, method, arguments) ->
            method.isDefault() && !method.getName().equals("listStepTasks")
                ? InvocationHandler.invokeDefault(proxy, method, arguments)
                : method.invoke(real, arguments));
  }
}
