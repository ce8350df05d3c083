package dev.runlane.telemetry.health;

import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.healthchecks.Status;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One thing that has to be well, asked for within a bound; the answer counts for a while, and who asks meanwhile
 * shares it. For any thread.
 */
final class HealthProbe {
  private final Timers timers;
  private final RunlaneHealthOptions options;
  private final String what;
  private final String remedy;
  private final Supplier<Future<Void>> question;
  private @Nullable Answer last;

  /**
   * @param what is asked, as the subject of "did not answer"
   * @param remedy what a person does about it, in whole sentences
   * @param question fails where something is wrong
   */
  HealthProbe(
      Timers timers,
      RunlaneHealthOptions options,
      String what,
      String remedy,
      Supplier<Future<Void>> question) {
    this.timers = timers;
    this.options = options;
    this.what = what;
    this.remedy = remedy;
    this.question = question;
  }

  /** Completes with the state, and never fails. */
  void answer(Promise<Status> promise) {
    current().onComplete(promise);
  }

  private synchronized Future<Status> current() {
    Duration now = timers.elapsed();
    Answer known = last;
    if (known == null || known.isOver(now, options.getRemembered())) {
      known = new Answer(now, ask());
      last = known;
    }
    return known.status;
  }

  private Future<Status> ask() {
    Promise<Status> answer = Promise.promise();
    Timers.Timer late = timers.schedule(
        options.getTimeout(),
        () -> answer.tryComplete(down(what + " did not answer within " + options.getTimeout())));
    Future.<Void>succeededFuture().compose(start -> question.get()).onComplete(asked -> {
      late.cancel();
      answer.tryComplete(
          asked.succeeded() ? Status.OK() : down(String.valueOf(asked.cause().getMessage())));
    });
    return answer.future();
  }

  private Status down(String problem) {
    return Status.KO(new JsonObject().put("problem", problem).put("remedy", remedy));
  }

  private record Answer(Duration asked, Future<Status> status) {
    /** What is being asked is never asked a second time. */
    boolean isOver(Duration now, Duration remembered) {
      return status.isComplete() && now.minus(asked).compareTo(remembered) >= 0;
    }
  }
}
