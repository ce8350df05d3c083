package dev.runlane.console.stream;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.access.Masks;
import dev.runlane.lane.Lane;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayNameGeneration(ReplaceUnderscores.class)
class SlowClientTest {
  private static final int TOLD = 3 * EventStream.MOST_WAITING;

  @Test
  void a_client_that_does_not_read_has_a_bounded_queue_and_is_told_that_it_missed_something()
      throws Exception {
    Vertx vertx = Vertx.vertx();
    Lane lane = MemoryLane.create();
    Runlane runlane =
        Runlane.builder(vertx, lane).queue(TaskQueue.of("mail").asDefault()).build();
    Promise<EventStream> opened = Promise.promise();
    Promise<Context> turn = Promise.promise();
    HttpServer server = vertx
        .createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
        .requestHandler(request -> {
          ChangeFeed feed = new ChangeFeed(
              new ChangeReader(runlane.runs(), Masks.NONE),
              List::of,
              Timers.of(vertx),
              Clock.system());
          EventStream stream =
              new EventStream(() -> true, false, null, Set.of(), Instant.now(), feed);
          stream.send(request.response());
          turn.complete(vertx.getOrCreateContext());
          opened.complete(stream);
        })
        .listen()
        .await(60, SECONDS);
    Change change = Change.ofRun("r", "run.created", Instant.now(), "x".repeat(8_000), "masked");

    try (Socket socket = new Socket("127.0.0.1", server.actualPort())) {
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      EventStream stream = opened.future().await(60, SECONDS);
      Promise<Integer> waiting = Promise.promise();
      turn.future().await(60, SECONDS).runOnContext(now -> {
        stream.tell(Collections.nCopies(TOLD, change), Instant.now());
        waiting.complete(stream.waiting());
      });

      assertThat(waiting.future().await(60, SECONDS)).isBetween(1, EventStream.MOST_WAITING + 1);
      assertThat(told(socket)).isLessThan(TOLD);
    } finally {
      vertx.close().await(60, SECONDS);
    }
  }

  /**
   * How many changes come before and after the one that says that some are missing. The feed's own first look, which
   * tells where the stream is, may come before them.
   */
  private static int told(Socket socket) throws Exception {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    int changes = 0;
    boolean isSkipped = false;
    for (String line = lines.readLine();
        !isSkipped || !line.startsWith("id:");
        line = lines.readLine()) {
      assertThat(line).as("the end of the stream").isNotNull();
      changes += line.equals("event: run") ? 1 : 0;
      isSkipped |= line.equals("event: skipped");
    }
    return changes;
  }
}
