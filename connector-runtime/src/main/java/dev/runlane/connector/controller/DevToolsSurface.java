package dev.runlane.connector.controller;

import dev.runlane.connector.run.request.BrowserSurface;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URI;

/**
 * A browser that speaks the DevTools protocol over HTTP: it is there when it answers its version and its pages.
 *
 * @param client asks it
 * @param address where it answers
 */
record DevToolsSurface(HttpClient client, URI address) implements BrowserSurface {
  private static final int OK = 200;

  /** A connection that a silent browser keeps open longer than this is closed; the next probes need it. */
  private static final long MOST_SILENCE_MILLIS = 30_000;

  @Override
  public Future<Probe> probe() {
    return status("/json/version")
        .compose(version -> version == OK ? status("/json/list") : Future.succeededFuture(version))
        .map(status -> status == OK
            ? Probe.OK
            : new Probe("browser_surface_not_ready", "the browser answers " + status))
        .otherwise(unreachable ->
            new Probe("browser_surface_cdp_unreachable", "the browser's address does not answer"));
  }

  private Future<Integer> status(String path) {
    RequestOptions options = new RequestOptions()
        .setMethod(HttpMethod.GET)
        .setAbsoluteURI(base() + path)
        .setTimeout(MOST_SILENCE_MILLIS);
    return client.request(options).compose(request -> request.send()).compose(answer -> answer
        .end()
        .map(answer.statusCode()));
  }

  private String base() {
    String text = address.toString();
    return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }
}
