package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.StepScene.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.timing.ManualTime;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SignalSenderTest {
  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final ManualTime time = ManualTime.at(Instant.EPOCH);
  private final List<String> sent = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    done(vertx.close());
  }

  @Test
  void a_signal_that_nobody_answers_holds_up_the_next_for_a_few_seconds_only() {
    SignalSender sender = new SignalSender(context, time.timers(), payload -> {
      sent.add(payload);
      return Promise.promise().future();
    });
    sender.results();
    sender.tasks(Set.of("a"));
    endTurns();
    assertThat(sent).containsExactly("{\"results\":true}");

    time.advance(SignalSender.LONGEST_WAIT);
    endTurns();

    assertThat(sent).containsExactly("{\"results\":true}", "{\"tasks\":[\"a\"]}");
  }

  private void endTurns() {
    Promise<Void> ended = Promise.promise();
    context.runOnContext(turn -> ended.complete());
    done(ended.future());
  }
}
