package dev.runlane.connector.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.run.request.BrowserSurface;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpServer;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a browser surface that speaks the DevTools protocol")
class DevToolsSurfaceTest {
  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client = vertx.createHttpClient();
  private final List<String> asked = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    await(vertx.close());
  }

  @Test
  void R5_S5_is_there_when_it_tells_its_version_and_its_pages() {
    int port = serving(Map.of("/json/version", 200, "/json/list", 200));

    assertThat(probe("http://127.0.0.1:" + port + "/")).isEqualTo(BrowserSurface.Probe.OK);
    assertThat(asked).containsExactly("/json/version", "/json/list");
  }

  @Test
  void R5_S5_is_not_ready_when_it_answers_otherwise() {
    int starting = serving(Map.of("/json/version", 503));
    int withoutPages = serving(Map.of("/json/version", 200, "/json/list", 404));

    assertThat(probe("http://127.0.0.1:" + starting))
        .isEqualTo(
            new BrowserSurface.Probe("browser_surface_not_ready", "the browser answers 503"));
    assertThat(probe("http://127.0.0.1:" + withoutPages))
        .isEqualTo(
            new BrowserSurface.Probe("browser_surface_not_ready", "the browser answers 404"));
  }

  @Test
  void R5_S5_is_unreachable_when_nobody_answers() {
    HttpServer server = vertx.createHttpServer().requestHandler(request -> {});
    int port = await(server.listen(0, "127.0.0.1")).actualPort();
    await(server.close());

    assertThat(probe("http://127.0.0.1:" + port).code())
        .isEqualTo("browser_surface_cdp_unreachable");
  }

  private BrowserSurface.Probe probe(String address) {
    return await(new DevToolsSurface(client, URI.create(address)).probe());
  }

  private int serving(Map<String, Integer> statuses) {
    return await(vertx
            .createHttpServer()
            .requestHandler(request -> {
              asked.add(request.path());
              request
                  .response()
                  .setStatusCode(statuses.getOrDefault(request.path(), 500))
                  .end("[]");
            })
            .listen(0, "127.0.0.1"))
        .actualPort();
  }

  private static <T> T await(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(30, TimeUnit.SECONDS)
        .join();
  }
}
