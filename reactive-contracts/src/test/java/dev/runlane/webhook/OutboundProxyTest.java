package dev.runlane.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.ProxyType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Receivers outside of a network that lets nobody out but through a proxy. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class OutboundProxyTest {
  private final Vertx vertx = Vertx.vertx();
  private final ProxySelector before = ProxySelector.getDefault();
  private final Queue<String> asked = new ConcurrentLinkedQueue<>();
  private final HttpServer server = vertx
      .createHttpServer()
      .requestHandler(request -> {
        asked.add(request.uri());
        request.response().setStatusCode(204).end();
      })
      .listen(0, "127.0.0.1")
      .await();

  @AfterEach
  void close() {
    ProxySelector.setDefault(before);
    vertx.close().await();
  }

  private int send(String address) {
    WebhookPost post = new WebhookPost(vertx, Duration.ofSeconds(30), 1);
    int status = post.send(
            new WebhookRequest(URI.create(address), "whd_1", "1767268800", "v1=0", "{}"))
        .await();
    post.close().await();
    return status;
  }

  @Test
  void a_receiver_is_reached_through_the_proxy_that_the_jvm_would_take() {
    ProxySelector.setDefault(new Through(
        Proxy.Type.HTTP, InetSocketAddress.createUnresolved("127.0.0.1", server.actualPort())));

    assertThat(send("http://receiver.invalid/hook")).isEqualTo(204);
    assertThat(send("http://127.0.0.1:" + server.actualPort() + "/direct")).isEqualTo(204);

    assertThat(asked).containsExactly("http://receiver.invalid/hook", "/direct");
  }

  @Test
  void what_the_jvm_prefers_is_told_to_the_client() {
    URI address = URI.create("https://receiver.invalid/hook");
    assertThat(OutboundProxy.of(address)).as("nothing is set").isEmpty();

    ProxySelector.setDefault(
        new Through(Proxy.Type.SOCKS, InetSocketAddress.createUnresolved("gate", 1080)));
    ProxyOptions socks = OutboundProxy.of(address).orElseThrow();
    assertThat(socks.getType()).isEqualTo(ProxyType.SOCKS5);
    assertThat(socks.getHost()).isEqualTo("gate");
    assertThat(socks.getPort()).isEqualTo(1080);
    assertThat(OutboundProxy.of(URI.create("/hook"))).as("nowhere").isEmpty();

    ProxySelector.setDefault(null);
    assertThat(OutboundProxy.of(address)).isEmpty();
  }

  /** One proxy for all hosts that do not exist; the others are reached directly. */
  private static final class Through extends ProxySelector {
    private final Proxy proxy;

    Through(Proxy.Type type, SocketAddress address) {
      proxy = new Proxy(type, address);
    }

    @Override
    public List<Proxy> select(URI uri) {
      return List.of(uri.getHost().endsWith(".invalid") ? proxy : Proxy.NO_PROXY);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {
      throw new AssertionError(failure);
    }
  }
}
