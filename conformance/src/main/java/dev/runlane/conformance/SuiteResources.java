package dev.runlane.conformance;

import io.vertx.core.Vertx;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Hands the run's Vert.x and the surrounding suite's fixture to the set-up of a case. */
final class SuiteResources implements ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(SuiteResources.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == SuiteVertx.class || Fixture.class.isAssignableFrom(type);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    SuiteVertx vertx = context
        .getRoot()
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent("vertx", key -> SuiteVertx.open(), SuiteVertx.class);
    Class<?> type = parameter.getParameter().getType();
    return type == SuiteVertx.class ? vertx : fixture(type, context, vertx.vertx());
  }

  private static Fixture fixture(Class<?> type, ExtensionContext context, Vertx vertx) {
    for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
      if (instance instanceof ConformanceSuite<?> suite) {
        Fixture fixture = suite.fixture(vertx);
        if (type.isInstance(fixture)) {
          return fixture;
        }
        throw new ParameterResolutionException("%s needs a %s, but %s gives a %s"
            .formatted(
                context.getDisplayName(),
                type.getSimpleName(),
                instance.getClass().getSimpleName(),
                fixture.getClass().getSimpleName()));
      }
    }
    throw new ParameterResolutionException("%s belongs into a @Nested class of a ConformanceSuite"
        .formatted(context.getRequiredTestClass().getSimpleName()));
  }
}
