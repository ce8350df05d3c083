package dev.runlane.storage.memory;

import static dev.runlane.storage.memory.Flow.ENVIRONMENT;
import static dev.runlane.storage.memory.Flow.NOON;
import static dev.runlane.storage.memory.Flow.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MemoryTransportTest {
  private final MemoryTransport transport = new MemoryTransport();

  @Test
  void a_listener_that_subscribed_on_no_context_is_called_before_publishing_ends() {
    Heard heard = new Heard();
    done(transport.subscribe(ENVIRONMENT, heard));

    List<WakeupPublishOutcome> outcomes = publish("run_1", "run_2");

    assertThat(outcomes).allMatch(WakeupPublishOutcome::isPublished).hasSize(2);
    assertThat(heard.batches).containsExactly(List.of("run_1", "run_2"));
  }

  @Test
  void a_listener_that_subscribed_on_a_context_is_called_there() {
    Vertx vertx = Vertx.vertx();
    try {
      Context context = vertx.getOrCreateContext();
      Promise<Context> called = Promise.promise();
      Promise<Subscription> subscribed = Promise.promise();
      context.runOnContext(turn -> transport
          .subscribe(ENVIRONMENT, new Heard(() -> called.complete(Vertx.currentContext())))
          .onComplete(subscribed));
      done(subscribed.future());

      publish("run_1");

      assertThat(done(called.future())).isSameAs(context);
    } finally {
      done(vertx.close());
    }
  }

  @Test
  void a_listener_that_throws_harms_neither_the_publisher_nor_the_others() {
    Heard heard = new Heard();
    done(transport.subscribe(ENVIRONMENT, new Heard(() -> {
      throw new IllegalStateException("broken listener");
    })));
    done(transport.subscribe(ENVIRONMENT, heard));

    assertThat(publish("run_1")).allMatch(WakeupPublishOutcome::isPublished);

    assertThat(heard.batches).containsExactly(List.of("run_1"));
  }

  @Test
  void a_listener_whose_vertx_is_closed_harms_neither_the_publisher_nor_the_others() {
    Vertx gone = Vertx.vertx();
    Promise<Subscription> subscribed = Promise.promise();
    gone.runOnContext(turn -> transport.subscribe(ENVIRONMENT, new Heard()).onComplete(subscribed));
    done(subscribed.future());
    done(gone.close());
    Heard heard = new Heard();
    done(transport.subscribe(ENVIRONMENT, heard));

    assertThat(publish("run_1")).allMatch(WakeupPublishOutcome::isPublished);

    assertThat(heard.batches).containsExactly(List.of("run_1"));
  }

  @Test
  void a_closed_transport_takes_wakeups_again_once_it_is_started() {
    Heard heard = new Heard();
    done(transport.subscribe(ENVIRONMENT, heard));
    done(transport.close());
    assertThat(transport.publishWakeups(command("run_1")).failed()).isTrue();

    done(transport.start());
    publish("run_2");

    assertThat(heard.batches).containsExactly(List.of("run_2"));
  }

  private List<WakeupPublishOutcome> publish(String... runIds) {
    return done(transport.publishWakeups(command(runIds)));
  }

  private static PublishWakeups command(String... runIds) {
    List<PublishWakeups.Attempt> attempts = new ArrayList<>();
    for (String runId : runIds) {
      attempts.add(new PublishWakeups.Attempt(
          "msg_" + runId, "tok_1", new DeliveryMessage(ENVIRONMENT, runId, "default", NOON, null)));
    }
    return new PublishWakeups(attempts);
  }

  private static final class Heard implements WakeupListener {
    private final List<List<String>> batches = new ArrayList<>();
    private final Runnable onWakeups;

    Heard() {
      this(() -> {});
    }

    Heard(Runnable onWakeups) {
      this.onWakeups = onWakeups;
    }

    @Override
    public void onWakeups(List<DeliveryMessage> messages) {
      batches.add(messages.stream().map(DeliveryMessage::runId).toList());
      onWakeups.run();
    }

    @Override
    public void onPossibleLoss() {
      throw new AssertionError("nothing is lost inside a process");
    }
  }
}
