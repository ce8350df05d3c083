package dev.runlane.conformance.kit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Hands the set-up of a case the suite it is nested in. A promise is no inner class of the suite, only a
 * class that extends it is, so it cannot ask for the suite by itself.
 */
public final class EnclosingSuite implements ParameterResolver {
  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == ConformanceSuite.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context.getRequiredTestInstances().getAllInstances().stream()
        .filter(ConformanceSuite.class::isInstance)
        .findFirst()
        .orElseThrow(() ->
            new ParameterResolutionException("%s belongs into a @Nested class of a ConformanceSuite"
                .formatted(context.getRequiredTestClass().getSimpleName())));
  }
}
