package dev.runlane.jobs.queue.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.queue.job.JobSignalReason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FiredSignalTest {
  private final FiredSignal signal = new FiredSignal(Runnable::run);

  @Test
  void nothing_of_what_was_waited_for_is_kept() {
    WeakReference<byte[]> page = pageThatWasWaitedFor();

    for (int tries = 0; page.get() != null && tries < 50; tries++) {
      System.gc();
    }

    assertThat(page.get()).as("a page that was read long ago").isNull();
    assertThat(signal.isFired()).isFalse();
  }

  private WeakReference<byte[]> pageThatWasWaitedFor() {
    Promise<byte[]> reading = Promise.promise();
    Future<byte[]> read = signal.untilFired(reading.future());
    byte[] page = new byte[1_000];
    reading.complete(page);
    assertThat(read.result()).isSameAs(page);
    return new WeakReference<>(page);
  }

  @Test
  void all_that_wait_give_up_in_their_order_though_callbacks_throw() {
    List<Integer> givenUp = new ArrayList<>();
    for (int wait = 0; wait < 3; wait++) {
      int number = wait;
      signal.untilFired(Promise.promise().future()).onFailure(why -> {
        givenUp.add(number);
        throw new IllegalStateException("a broken callback");
      });
    }

    signal.fire(JobSignalReason.CANCELLED);

    assertThat(givenUp).containsExactly(0, 1, 2);
    assertThat(signal.untilFired(Promise.promise().future()).failed())
        .as("who begins to wait after the signal does not wait")
        .isTrue();
  }
}
