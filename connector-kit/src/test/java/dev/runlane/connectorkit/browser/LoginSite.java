package dev.runlane.connectorkit.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** A site whose session is a cookie that lasts: {@code /login} sets it, {@code /} tells it. */
final class LoginSite implements AutoCloseable {

  private final HttpServer server;
  private final AtomicInteger homePages = new AtomicInteger();
  private volatile boolean closedForAll;

  LoginSite() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/login", exchange -> {
      exchange.getResponseHeaders().add("Set-Cookie", "session=live; Max-Age=3600");
      answer(exchange, "logged in");
    });
    server.createContext("/", exchange -> {
      if (exchange.getRequestURI().getPath().equals("/")) {
        homePages.incrementAndGet();
      }
      answer(exchange, isLive(exchange) ? "Welcome" : "Who?");
    });
    server.start();
  }

  String address(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  /** How often the home page was asked for. */
  int homePages() {
    return homePages.get();
  }

  /** Sessions are no longer accepted, or again. */
  void setClosedForAll(boolean closed) {
    closedForAll = closed;
  }

  /** Whether the browser is logged in, as its home page tells. */
  SessionProbe probe() {
    return context -> {
      context.pages().get(0).navigate(address("/"));
      return context.pages().get(0).content().contains("Welcome");
    };
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private boolean isLive(HttpExchange exchange) {
    String cookie = exchange.getRequestHeaders().getFirst("Cookie");
    return !closedForAll && cookie != null && cookie.contains("session=live");
  }

  private static void answer(HttpExchange exchange, String text) throws IOException {
    byte[] page = ("<!doctype html><title>Shelf</title><p>" + text).getBytes(UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "text/html");
    exchange.sendResponseHeaders(200, page.length);
    exchange.getResponseBody().write(page);
    exchange.close();
  }
}
