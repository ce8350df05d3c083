package dev.runlane.conformance.drawn;

import dev.runlane.conformance.model.Names;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * A contract with a model, and how a command is given to either side. Commands are records.
 *
 * @param <A> the adapters
 * @param <M> the model
 */
public interface Modelled<A, M> {
  /** A model of a state on which nothing was stored yet. */
  M model(Names names);

  /** Whether a correct caller could send the command now. */
  default boolean isPossible(M model, Object command) {
    return true;
  }

  /** Gives the command, in the adapter's names, to the adapter. */
  Future<@Nullable Object> answer(A adapter, Object command);

  /**
   * The right answer, in the model's names, which is the adapter's where it may choose; throws the right failure.
   *
   * @param answer the adapter's answer, or null where it failed
   */
  @Nullable
  Object expected(M model, Object command, @Nullable Object answer);

  /** Leaves the adapter's state as it was found; without need where each sequence has names of its own. */
  default void clear(A adapter, M model) {}
}
