package dev.runlane.adapter;

import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call across the edge of an adapter, from either side. */
public final class AdapterCall {
  private AdapterCall() {}

  /**
   * Calls {@code call} so that every failure is a failed future: a {@link RunlaneException} it throws
   * fails the future as it is, anything else it throws, errors included as Vert.x does it, becomes the
   * cause of an {@code AdapterContractViolation}, and so does null instead of a future. An adapter wraps
   * its methods in this to keep "a method never throws"; callers wrap calls of adapters they did not
   * write. What a future fails with is passed on unchanged.
   */
  public static <T extends @Nullable Object> Future<T> of(
      String method, Supplier<? extends @Nullable Future<T>> call) {
    try {
      return answered(method, call.get());
    } catch (RunlaneException failure) {
      return Future.failedFuture(failure);
    } catch (Throwable thrown) {
      return Future.failedFuture(RunlaneException.adapterContractViolation(
              "%s threw %s instead of failing its future",
              method, thrown.getClass().getSimpleName())
          .causedBy(thrown));
    }
  }

  /**
   * The future that a call answered: failed with an {@code AdapterContractViolation} in place of null. For calls of
   * which what they throw is to reach who asked for them as it was thrown, as it does within {@link Future#compose}.
   */
  public static <T extends @Nullable Object> Future<T> answered(
      String method, @Nullable Future<T> answer) {
    return answer != null
        ? answer
        : Future.failedFuture(RunlaneException.adapterContractViolation(
            "%s answered null instead of a future", method));
  }
}
