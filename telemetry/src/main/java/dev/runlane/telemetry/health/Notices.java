package dev.runlane.telemetry.health;

import dev.runlane.run.Environment;
import dev.runlane.storage.CancellationSource;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;

/** Sends a notice to every process, and waits to hear it in this one. */
final class Notices {
  private final CancellationSource source;
  private final Environment environment;
  private final Ids ids;
  private final Timers timers;
  private final Duration longest;

  /** @param longest how long it listens, whoever still waits for it */
  Notices(
      CancellationSource source,
      Environment environment,
      Ids ids,
      Timers timers,
      Duration longest) {
    this.source = source;
    this.environment = environment;
    this.ids = ids;
    this.timers = timers;
    this.longest = longest;
  }

  /** Completes once it was heard; fails where it is not. */
  Future<Void> hear() {
    String notice = "health_" + ids.token();
    Promise<Void> heard = Promise.promise();
    Timers.Timer over =
        timers.schedule(longest, () -> heard.tryFail("a notice that was sent was not heard"));
    return source
        .subscribe(environment, runId -> {
          if (runId.equals(notice)) {
            heard.tryComplete();
          }
        })
        .compose(listening -> source
            .notifyRunOwner(environment, notice)
            .compose(sent -> heard.future())
            .eventually(listening::close))
        .onComplete(done -> over.cancel());
  }
}
