package dev.runlane.conformance.broken;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The sentence that a run of a suite names, for the suite's constructor.
 *
 * @param sentence what the adapter does wrong
 */
public record Broken(String sentence) {
  /** What makes the adapter that the run is about out of one that does nothing wrong. */
  public <A> UnaryOperator<A> of(List<BrokenAdapter<A>> all) {
    return all.stream()
        .filter(each -> each.sentence().equals(sentence))
        .findFirst()
        .orElseThrow()
        .breaking();
  }

  /** Takes it from the run's configuration parameters. */
  public static final class Resolver implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == Broken.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return new Broken(
          context.getConfigurationParameter(BrokenAdapter.PARAMETER).orElseThrow());
    }
  }
}
