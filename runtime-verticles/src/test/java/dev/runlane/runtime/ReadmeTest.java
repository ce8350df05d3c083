package dev.runlane.runtime;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.orders.OrdersVerticle;
import dev.runlane.testinfra.PostgresServers;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Runs the README's application as it stands there. */
class ReadmeTest {
  private static final Path APPLICATION =
      Path.of("src/test/java/com/example/orders/OrdersVerticle.java");

  @Test
  void an_order_posted_twice_is_charged_once() throws Exception {
    BlockedLoops blocked = new BlockedLoops();
    Vertx vertx = blocked.watched();
    PgConnectOptions database = PgConnectOptions.fromUri(
        PostgresServers.shared().createDatabase("readme").toUri());
    int port = freePort();
    vertx.deployVerticle(new OrdersVerticle(database, port)).await(30, SECONDS);

    JsonObject first = post(vertx, port, "{\"id\":\"o1\",\"cents\":500}");
    JsonObject second = post(vertx, port, "{\"id\":\"o1\",\"cents\":500}");

    assertThat(first.getString("outcome")).isEqualTo("created");
    assertThat(second.getString("outcome")).isEqualTo("idempotent_existing");
    assertThat(second.getString("run")).isEqualTo(first.getString("run"));
    vertx.close().await(30, SECONDS);
    blocked.assertNone();
  }

  @Test
  void the_readme_shows_this_application() throws Exception {
    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + Files.readString(APPLICATION) + "```");
  }

  private static JsonObject post(Vertx vertx, int port, String body) throws Exception {
    HttpClient client = vertx.createHttpClient();
    return client
        .request(HttpMethod.POST, port, "localhost", "/orders")
        .compose(request -> request.send(Buffer.buffer(body)))
        .compose(HttpClientResponse::body)
        .map(Buffer::toJsonObject)
        .await(30, SECONDS);
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
