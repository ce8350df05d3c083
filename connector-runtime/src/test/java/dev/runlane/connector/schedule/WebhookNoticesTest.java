package dev.runlane.connector.schedule;

import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.store.schedule.ScheduleNotice;
import dev.runlane.connector.store.schedule.SettleSchedule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Randomness;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class WebhookNoticesTest {
  private final ScheduleScene scene = new ScheduleScene();
  private final List<JsonObject> told = new CopyOnWriteArrayList<>();
  private volatile int status = 204;
  private final HttpServer server = done(scene
      .postgres
      .vertx()
      .createHttpServer()
      .requestHandler(request -> request.body().onSuccess(body -> {
        told.add(body.toJsonObject());
        request.response().setStatusCode(status).end();
      }))
      .listen(0, "127.0.0.1"));
  private final WebhookNotices notices = new WebhookNotices(
      scene.store.schedules(),
      scene.postgres.vertx().createHttpClient(),
      scene.clock,
      Randomness.seeded(1),
      new WebhookOptions("http://127.0.0.1:" + server.actualPort() + "/hook").setMaxAttempts(3));

  @BeforeEach
  void one_notice() {
    scene.every(Duration.ofMinutes(1));
    done(scene
        .store
        .schedules()
        .claimDue("tok_1", scene.clock.now(), scene.clock.now().plusSeconds(60), 10));
    ScheduleNotice notice = new ScheduleNotice(
        0, SHELF, "schedule.gave_up", "permission_error", "run_1", scene.clock.now(), 0);
    assertThat(done(scene
            .store
            .schedules()
            .settle(new SettleSchedule(
                SHELF,
                "tok_1",
                scene.clock.now().plusSeconds(60),
                "given up",
                null,
                null,
                new SettleSchedule.NoticeState(List.of(notice), null, null),
                scene.clock.now()))))
        .isTrue();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_notice_is_posted_with_ids_and_reasons_and_forgotten_once_it_was_taken() {
    done(notices.sweepOnce());
    scene.clock.advance(Duration.ofHours(1));
    done(notices.sweepOnce());

    assertThat(told).singleElement().satisfies(body -> {
      assertThat(body.getString("kind")).isEqualTo("schedule.gave_up");
      assertThat(body.getString("connector_id")).isEqualTo("shelf");
      assertThat(body.getString("reason")).isEqualTo("permission_error");
      assertThat(body.getString("run_id")).isEqualTo("run_1");
      assertThat(body.fieldNames())
          .containsExactlyInAnyOrder(
              "object",
              "notice_id",
              "kind",
              "connector_id",
              "connector_instance_id",
              "reason",
              "run_id",
              "created_at");
    });
  }

  @Test
  void a_notice_that_nobody_takes_is_sent_again_and_given_up_in_the_end() {
    status = 302; // which is not followed
    done(notices.sweepOnce());
    done(notices.sweepOnce());
    assertThat(told).hasSize(1);

    status = 500;
    for (int i = 0; i < 5; i++) {
      scene.clock.advance(Duration.ofMinutes(15));
      done(notices.sweepOnce());
    }

    assertThat(told).hasSize(3);
  }

  @Test
  void a_notice_that_nobody_sent_for_a_week_is_forgotten() {
    scene.clock.advance(ScheduleNotice.OLDEST_SENT.plusSeconds(1));

    done(notices.sweepOnce());
    scene.clock.advance(ScheduleNotice.OLDEST_SENT.negated());
    done(notices.sweepOnce());

    assertThat(told).isEmpty();
  }

  @Test
  void notices_that_nobody_sends_are_deleted_after_a_week_though_nothing_else_is_to_be() {
    ConnectorRetention retention = new ConnectorRetention(
        scene.store,
        scene.store.schedules(),
        scene.clock,
        new ConnectorRetentionOptions().setBatchSize(1));
    assertThat(done(retention.sweepOnce())).as("a full batch of news").isFalse();
    scene.clock.advance(ScheduleNotice.OLDEST_SENT.plusSeconds(1));

    assertThat(done(retention.sweepOnce())).as("a full batch of old ones").isTrue();

    assertThat(done(retention.sweepOnce())).isFalse();
    scene.clock.advance(ScheduleNotice.OLDEST_SENT.negated());
    assertThat(scene.notices()).isEmpty();
  }

  @Test
  void a_receiver_that_is_away_is_asked_again() {
    done(server.close());
    done(notices.sweepOnce());
    scene.clock.advance(Duration.ofMinutes(15));

    assertThat(done(scene
            .store
            .schedules()
            .claimNotices(scene.clock.now(), scene.clock.now().plusSeconds(60), 10)))
        .singleElement()
        .extracting(ScheduleNotice::attempts)
        .isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://host", "http://", "host", "http://ho st"})
  void an_address_that_is_none_is_refused(String address) {
    assertThatThrownBy(() -> new WebhookOptions(address))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
