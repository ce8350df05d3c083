package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.runlane.console.access.TokenOptions;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.timing.Clock;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A console with tokens that somebody changes while it is served. */
@Timeout(120)
@DisplayNameGeneration(ReplaceUnderscores.class)
class TokenFileTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String ANNA = "a".repeat(TokenOptions.SHORTEST_TOKEN);
  private static final String BERT = "b".repeat(TokenOptions.SHORTEST_TOKEN);

  @TempDir
  private Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient http = HttpClient.newHttpClient();
  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-05-01T12:00:00Z")));
  private final Runlane runlane = Runlane.builder(vertx, MemoryLane.create())
      .queue(TaskQueue.of("mail").asDefault())
      .build();

  @BeforeEach
  void start() throws Exception {
    done(runlane.start());
  }

  @AfterEach
  void close() throws Exception {
    done(runlane.close());
    done(vertx.close());
  }

  private static <T> T done(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  private Path file() {
    return folder.resolve("tokens.json");
  }

  private void put(String... tokens) throws IOException {
    JsonArray list = new JsonArray();
    for (String token : tokens) {
      list.add(new TokenOptions()
          .setName(token.substring(0, 1))
          .setToken(token)
          .toJson()
          .put("sha256", new TokenOptions().setToken(token).getSha256().orElseThrow()));
    }
    Files.writeString(file(), new JsonObject().put("tokens", list).encode());
  }

  private OperatorConsole console() {
    return OperatorConsole.create(
        vertx,
        runlane,
        new ConsoleOptions().setPort(0).setTokensPath(file().toString()),
        Clock.system(),
        timers);
  }

  private HttpResponse<InputStream> get(int port, String path, String token) {
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
              .header("authorization", "Bearer " + token)
              .build(),
          HttpResponse.BodyHandlers.ofInputStream());
    } catch (IOException | InterruptedException failed) {
      throw new AssertionError(failed);
    }
  }

  private int status(int port, String token) {
    HttpResponse<InputStream> answer = get(port, "/api/v1/session", token);
    try (InputStream body = answer.body()) {
      body.readAllBytes();
      return answer.statusCode();
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  private boolean becomes(int port, String token, int status) {
    return Poll.until(PATIENCE, () -> {
      timers.advance(TokenFile.LOOKED_AT);
      return status(port, token) == status;
    });
  }

  @Test
  void a_token_that_is_put_in_is_taken_and_one_that_is_taken_out_is_refused_on_open_streams_too()
      throws Exception {
    put(ANNA);
    OperatorConsole console = console();
    int port = done(console.start());
    assertThat(status(port, ANNA)).isEqualTo(200);
    assertThat(status(port, BERT)).isEqualTo(401);
    EventReader stream = new EventReader(get(port, "/api/v1/changes", ANNA).body());

    put(BERT);

    assertThat(becomes(port, BERT, 200)).isTrue();
    assertThat(status(port, ANNA)).isEqualTo(401);
    assertThat(Poll.until(PATIENCE, stream::isOver)).isTrue();

    put();
    assertThat(becomes(port, BERT, 401)).as("nobody is let in by an empty list").isTrue();
    done(console.close());
  }

  @Test
  void a_file_that_is_half_written_or_gone_changes_nothing_and_is_told_of_once() throws Exception {
    put(ANNA);
    OperatorConsole console = console();
    int port = done(console.start());
    String whole = Files.readString(file());

    Files.writeString(file(), whole.substring(0, whole.length() / 2));
    assertThat(CapturedErrors.during(() -> looks(console)))
        .filteredOn(line -> line.contains("WARN"))
        .singleElement()
        .asString()
        .contains("tokens.json", "stay as they were");
    Files.delete(file());
    looks(console);

    assertThat(status(port, ANNA)).isEqualTo(200);
    put(BERT);
    assertThat(becomes(port, BERT, 200)).isTrue();
    done(console.close());
  }

  private static void looks(OperatorConsole console) {
    for (int minute = 0; minute < 3; minute++) {
      console.readTokens().toCompletionStage().toCompletableFuture().join();
    }
  }

  @Test
  void a_console_whose_file_cannot_be_taken_does_not_start() throws Exception {
    Files.writeString(file(), "{\"tokens\":[],\"host\":\"0.0.0.0\"}");

    RunlaneException failure =
        (RunlaneException) catchThrowable(() -> done(console().start())).getCause();

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure).hasMessageContaining(file().toString()).hasMessageContaining("alone");
  }
}
