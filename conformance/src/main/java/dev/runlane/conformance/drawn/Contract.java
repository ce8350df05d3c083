package dev.runlane.conformance.drawn;

/**
 * A contract that adapters are held to by drawn commands.
 *
 * @param <A> the adapters
 * @param <M> the model
 */
public interface Contract<A, M> extends Modelled<A, M> {
  /**
   * The commands of a seed.
   *
   * @param alone whether one adapter gets all of them
   */
  Drawing drawing(long seed, M model, A adapter, boolean alone);
}
