package dev.runlane.connector.controller;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.BlockingCalls;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A source of secrets that answers for one connection and not for another. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LaunchSecretsTest {
  private static final ConnectorRef SILENT = ConnectorRef.of("silent");
  private static final ConnectorRef SHELF = ConnectorRef.of("shelf");
  private static final List<String> TOKEN = List.of("TOKEN");

  private final Vertx vertx = Vertx.vertx();
  private final CountDownLatch answers = new CountDownLatch(1);
  private final LaunchSecrets secrets =
      new LaunchSecrets(this::answer, BlockingCalls.of(vertx, "secrets", 4));

  private Map<String, String> answer(ConnectorRef connector, List<String> names) {
    try {
      assertThat(connector.equals(SHELF) || answers.await(60, SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
    return Map.of("TOKEN", "of " + connector.instanceId());
  }

  @AfterEach
  void close() throws Exception {
    answers.countDown();
    secrets.close().await(30, SECONDS);
    vertx.close().await(30, SECONDS);
  }

  private Future<Map<String, String>> ask(ConnectorRef connector) {
    return secrets.of(connector, TOKEN, () -> {});
  }

  @Test
  void a_connection_without_an_answer_keeps_no_other_from_being_launched() throws Exception {
    Future<Map<String, String>> first = ask(SILENT);
    List<Future<Map<String, String>>> further =
        IntStream.range(0, 4).mapToObj(launch -> ask(SILENT)).toList();

    assertThat(ask(SHELF).await(30, SECONDS)).containsEntry("TOKEN", "of shelf");
    assertThat(first.isComplete()).isFalse();
    assertThat(further).allSatisfy(launch -> assertThat(launch.cause())
        .isInstanceOfSatisfying(RunlaneException.class, why -> assertThat(why.code())
            .isEqualTo(ErrorCode.OPERATION_CANCELLED))
        .hasMessageContaining("has not answered its earlier launch"));
  }

  @Test
  void a_connection_is_asked_for_again_once_the_source_has_answered() throws Exception {
    Future<Map<String, String>> first = ask(SILENT);
    answers.countDown();
    assertThat(first.await(30, SECONDS)).containsEntry("TOKEN", "of silent");

    assertThat(ask(SILENT).await(30, SECONDS)).containsEntry("TOKEN", "of silent");
  }

  @Test
  void a_check_that_fails_asks_nothing_and_keeps_no_later_launch_back() throws Exception {
    RunlaneException refused = RunlaneException.configurationInvalid("two of one name");
    Future<Map<String, String>> first = secrets.of(SHELF, TOKEN, () -> {
      throw refused;
    });

    assertThat(first.transform((none, why) -> Future.succeededFuture(why)).await(30, SECONDS))
        .isSameAs(refused);
    assertThat(ask(SHELF).await(30, SECONDS)).isNotEmpty();
  }

  @Test
  void nobody_is_asked_for_no_secret() throws Exception {
    assertThat(secrets.of(SILENT, List.of(), () -> {}).await(30, SECONDS)).isEmpty();
  }
}
