package dev.runlane.runtime.process;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.util.List;

/** Failures as maintenance handles them. */
public final class Failures {
  private Failures() {}

  /** The failure itself, or, of a foreign one, an {@code InternalError} that shows no more than its class. */
  public static RunlaneException runlane(String during, Throwable failure) {
    return failure instanceof RunlaneException known
        ? known
        : RunlaneException.of(
                ErrorCode.INTERNAL_ERROR,
                "%s failed with %s",
                during,
                failure.getClass().getSimpleName())
            .causedBy(failure);
  }

  /** The first of them, with the others along. */
  public static Throwable first(List<? extends Throwable> failures) {
    Throwable first = failures.get(0);
    failures.stream().skip(1).filter(other -> other != first).forEach(first::addSuppressed);
    return first;
  }
}
