package dev.runlane.console.page;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Serves the pages, to everybody: they hold nothing but themselves. What they show comes from the API, which asks for a
 * token where one is needed.
 */
public final class PageRoutes {
  /** The first parts of the addresses of views; each has the first page, which reads the rest of the address. */
  private static final List<String> VIEWS = List.of(
      "runs",
      "failures",
      "tasks",
      "queues",
      "schedules",
      "workers",
      "outbox",
      "jobs",
      "connectors",
      "alerts",
      "actions",
      "bulk");

  private static final Map<String, String> TYPES = Map.of(
      "js", "text/javascript; charset=utf-8",
      "css", "text/css; charset=utf-8",
      "svg", "image/svg+xml");
  private static final String FOR_EVER = "public, max-age=31536000, immutable";
  private static final String POLICY =
      "default-src 'none'; connect-src 'self'; img-src 'self'; script-src 'self'; style-src"
          + " 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types lit-html";

  private final PageFiles files;

  private PageRoutes(PageFiles files) {
    this.files = files;
  }

  /**
   * Reads the files; fails where one is missing.
   *
   * @param logIns how people log in, which the page offers them; none where nobody must
   */
  public static Future<PageRoutes> load(Vertx vertx, Set<LogIn> logIns) {
    return PageFiles.load(vertx, logIns).map(PageRoutes::new);
  }

  /** Adds them to a router. */
  public void mount(Router router) {
    router.route(HttpMethod.GET, "/").handler(this::firstPage);
    for (String view : VIEWS) {
      router.route(HttpMethod.GET, "/" + view).handler(this::firstPage);
      router.route(HttpMethod.GET, "/" + view + "/*").handler(this::firstPage);
    }
    router.route(HttpMethod.GET, "/assets/" + files.version() + "/*").handler(this::file);
  }

  private void firstPage(RoutingContext request) {
    HttpServerResponse response = request
        .response()
        .putHeader("content-type", "text/html; charset=utf-8")
        .putHeader("content-security-policy", POLICY);
    files.firstPage().send(request.request(), response);
  }

  private void file(RoutingContext request) {
    String name = request.request().path().substring(("/assets/" + files.version() + "/").length());
    files
        .file(name)
        .ifPresentOrElse(content -> send(request, name, content), () -> request.fail(404));
  }

  private static void send(RoutingContext request, String name, PageFile content) {
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    HttpServerResponse response =
        request.response().putHeader("content-type", type).putHeader("cache-control", FOR_EVER);
    content.send(request.request(), response);
  }
}
