package dev.runlane.conformance.race.order;

import dev.runlane.conformance.drawn.Modelled;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A contract whose commands are raced.
 *
 * @param <A> the adapters
 * @param <M> the model
 */
public interface Raced<A, M> {
  /** The contract and its model. */
  Modelled<A, M> contract();

  /** Before each race: nothing that an earlier one left is there. */
  void begin(List<A> adapters);

  /** What a seed races. */
  Scene scene(long seed, M model);

  /** The parts of a command that are done one by one, each with its own answer; of most the command itself. */
  default List<Played> parts(Played whole) {
    return List.of(whole);
  }

  /** Whether one part of a command comes before another one of it. */
  default boolean mustPrecede(Object part, Object other) {
    return false;
  }

  /**
   * Lets the next command of the model pass over what commands beside it may hold at that moment.
   *
   * @param others the commands that are under way, and parts of its own that are
   * @param maybe whether it does, where its answer does not show it: asked again, it says otherwise
   */
  void letPassOver(M model, List<Object> others, BooleanSupplier maybe);
}
