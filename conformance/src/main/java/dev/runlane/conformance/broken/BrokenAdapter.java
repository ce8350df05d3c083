package dev.runlane.conformance.broken;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * An adapter that breaks one sentence of the contract.
 *
 * @param sentence what it does wrong
 * @param breaking makes it out of one that does nothing wrong
 * @param failing the cases that must fail, as {@code Group.method_of_the_case}
 * @param <A> the kind of adapter
 */
public record BrokenAdapter<A>(String sentence, UnaryOperator<A> breaking, List<String> failing) {
  /** The configuration parameter of a run that names the adapter's sentence. */
  static final String PARAMETER = "broken";

  /** Copies the cases. */
  public BrokenAdapter {
    failing = List.copyOf(failing);
  }

  /** An adapter that breaks this sentence, and the cases that must fail for it. */
  public static <A> BrokenAdapter<A> that(
      String sentence, UnaryOperator<A> breaking, String... failing) {
    return new BrokenAdapter<>(sentence, breaking, List.of(failing));
  }

  @Override
  public String toString() {
    return sentence;
  }
}
