package dev.runlane.conformance.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for futures and says what became of them. For use outside event loops only. */
public final class Outcomes {
  /**
   * How long a case waits for one outcome = 120 s: long enough for a busy machine, and longer than what may itself wait
   * a minute for a broker.
   */
  private static final long PATIENCE_SECONDS = 120;

  private Outcomes() {}

  /** The future's result; fails the case when it fails or does not complete. */
  public static <T extends @Nullable Object> T done(Future<T> future) {
    try {
      return wait(future);
    } catch (ExecutionException failed) {
      throw new AssertionError(
          "expected success, but failed: " + failed.getCause(), failed.getCause());
    }
  }

  /** The failure of the future, which must be one of ours; fails the case when it succeeds. */
  public static RunlaneException failure(Future<?> future) {
    Throwable cause = cause(future);
    assertThat(cause).isInstanceOf(RunlaneException.class);
    return (RunlaneException) cause;
  }

  /** What the future failed with; fails the case when it succeeds. */
  public static Throwable cause(Future<?> future) {
    try {
      Object result = wait(future);
      throw new AssertionError("expected a failure, but got " + result);
    } catch (ExecutionException failed) {
      return Objects.requireNonNull(failed.getCause());
    }
  }

  /** Holds a future to a failure with this code. */
  public static RunlaneException assertFails(Future<?> future, ErrorCode code) {
    RunlaneException failure = failure(future);
    assertThat(failure.code()).as("code of %s", failure).isEqualTo(code);
    return failure;
  }

  /** Holds a future to a lost race of this kind, which is retryable. */
  public static RunlaneException assertConflict(Future<?> future, StorageConflictKind kind) {
    return assertConflict(failure(future), kind);
  }

  /** Holds a failure to be a lost race of this kind, which is retryable. */
  public static RunlaneException assertConflict(
      RunlaneException failure, StorageConflictKind kind) {
    assertThat(failure.code()).as("code of %s", failure).isEqualTo(ErrorCode.STORAGE_CONFLICT);
    assertThat(failure.conflictKind()).as("conflict kind of %s", failure).contains(kind);
    assertThat(failure.isRetryable()).as("retryable: %s", failure).isTrue();
    return failure;
  }

  /** Holds a future to a lost race for a key, and the failure to name the key's owner. */
  public static void assertOwnedBy(String ownerRunId, StorageConflictKind kind, Future<?> future) {
    RunlaneException failure = assertConflict(future, kind);
    assertThat(failure.meta()).containsEntry(RunlaneException.OWNER_RUN_ID, ownerRunId);
  }

  private static <T extends @Nullable Object> T wait(Future<T> future) throws ExecutionException {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException tooLong) {
      throw new AssertionError("no outcome within " + PATIENCE_SECONDS + " s", tooLong);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for an outcome", interrupted);
    }
  }
}
