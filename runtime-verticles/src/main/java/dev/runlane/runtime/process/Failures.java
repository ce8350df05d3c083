package dev.runlane.runtime.process;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.io.PrintWriter;
import java.io.Writer;
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

  /** A failure of the application's in a line of a log: by its class alone where it cannot say itself. */
  public static String text(Throwable failure) {
    try {
      return failure.toString();
    } catch (Throwable unreadable) {
      return failure.getClass().getName();
    }
  }

  /** The failure for a log that writes its trace; where it or a cause cannot be read, one that names its class. */
  public static Throwable readable(Throwable failure) {
    try {
      failure.printStackTrace(new PrintWriter(Writer.nullWriter()));
      return failure;
    } catch (Throwable unreadable) {
      return new IllegalStateException(
          "what the failure says cannot be read: " + failure.getClass().getName());
    }
  }

  /** The first of them, with the others along. */
  public static Throwable first(List<? extends Throwable> failures) {
    Throwable first = failures.get(0);
    failures.stream().skip(1).filter(other -> other != first).forEach(first::addSuppressed);
    return first;
  }
}
