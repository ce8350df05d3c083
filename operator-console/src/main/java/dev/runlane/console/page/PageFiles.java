package dev.runlane.console.page;

import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The files of the pages, read once. All but the first page are called by a name with the hash of them all, so that a
 * browser may keep them for ever, and never mixes those of two releases.
 */
final class PageFiles {
  /** Beside these there is only the first page; every file of the resources stands here. */
  static final List<String> OWN = List.of(
      "ahead.js",
      "app.js",
      "chart/chart.js",
      "chart/job-metrics.js",
      "chart/lately.js",
      "chart/range.js",
      "chart/series.js",
      "chart/throughput.js",
      "connector/parts.js",
      "connector/question.js",
      "connector/run-now.js",
      "connector/story.js",
      "icon.svg",
      "lib/api.js",
      "lib/changes.js",
      "lib/clock.js",
      "lib/dialog.js",
      "lib/difference.js",
      "lib/elements.js",
      "lib/failures.js",
      "lib/fields.js",
      "lib/findings.js",
      "lib/format.js",
      "lib/html.js",
      "lib/json-source.js",
      "lib/location.js",
      "lib/rows.js",
      "lib/schedules.js",
      "lib/schema-form.js",
      "lib/search.js",
      "lib/tags.js",
      "libraries.js",
      "pages/actions.js",
      "pages/alerts.js",
      "pages/bulk.js",
      "pages/connector-run.js",
      "pages/connector.js",
      "pages/connectors.js",
      "pages/failures.js",
      "pages/job-queue.js",
      "pages/job.js",
      "pages/jobs.js",
      "pages/log-in.js",
      "pages/outbox.js",
      "pages/overview-read.js",
      "pages/overview.js",
      "pages/page.js",
      "pages/queue.js",
      "pages/queues.js",
      "pages/run.js",
      "pages/runs.js",
      "pages/schedules.js",
      "pages/task.js",
      "pages/tasks.js",
      "pages/workers.js",
      "style.css",
      "timeline/attempts.js",
      "timeline/history.js",
      "timeline/layout.js",
      "timeline/timeline.js",
      "timeline/zoom.js");

  private static final String LIT = "META-INF/resources/webjars/lit-html/3.3.2/";
  private static final Map<String, String> LIBRARIES = Map.of(
      "vendor/lit-html.js", LIT + "lit-html.js",
      "vendor/directive.js", LIT + "directive.js",
      "vendor/directive-helpers.js", LIT + "directive-helpers.js",
      "vendor/directives/repeat.js", LIT + "directives/repeat.js",
      "vendor/uplot.js", "META-INF/resources/webjars/uplot/1.6.30/dist/uPlot.esm.js",
      "vendor/uplot.css", "META-INF/resources/webjars/uplot/1.6.30/dist/uPlot.min.css");
  private static final int HASH_DIGITS = 16;

  /** What the first page runs, in this order: asking comes before all else. */
  private static final List<String> FIRST = List.of("ahead.js", "app.js");

  private static @Nullable Linked linked; // once a console has started

  private final Map<String, PageFile> files;
  private final String version;
  private final PageFile firstPage;

  private PageFiles(Linked linked, Set<LogIn> logIns) {
    files = linked.files().entrySet().stream()
        .collect(Collectors.toUnmodifiableMap(
            Map.Entry::getKey, file -> file.getValue().copy()));
    version = linked.version();
    firstPage = PageFile.of(Buffer.buffer(linked
        .firstPage()
        .replace("{logIns}", logIns.stream().map(LogIn::value).collect(Collectors.joining(" ")))));
  }

  /**
   * What all consoles of a process serve.
   *
   * @param files by name
   * @param version the hash of them all
   * @param firstPage lacks how people log in
   */
  private record Linked(Map<String, PageFile> files, String version, String firstPage) {
    static Linked of(Map<String, Buffer> written, String firstPage) {
      Map<String, Buffer> served = LinkedModules.of(written, FIRST);
      String version = hash(served);
      return new Linked(
          served.entrySet().stream()
              .collect(Collectors.toUnmodifiableMap(
                  Map.Entry::getKey, file -> PageFile.of(file.getValue()))),
          version,
          firstPage
              .replace("{modules}", preloads(LinkedModules.librariesOf(served)))
              .replace("{assets}", "/assets/" + version));
    }
  }

  /** Has the browser ask for these modules at once, instead of for each when another has named it. */
  private static String preloads(Set<String> names) {
    return names.stream()
        .map(name -> "<link rel=\"modulepreload\" href=\"{assets}/%s\">".formatted(name))
        .collect(Collectors.joining("\n    "));
  }

  /**
   * Reads, links and compresses them, unless another console of this process has; fails where one is missing, which a
   * broken build alone brings about.
   */
  static Future<PageFiles> load(Vertx vertx, Set<LogIn> logIns) {
    return vertx.executeBlocking(() -> new PageFiles(linked(), logIns));
  }

  private static synchronized Linked linked() {
    Linked known = linked;
    if (known == null) {
      known = linkedAnew();
      linked = known;
    }
    return known;
  }

  private static Linked linkedAnew() {
    Map<String, Buffer> files = new TreeMap<>();
    OWN.forEach(name -> files.put(name, read(PageFiles.class.getResourceAsStream(name), name)));
    ClassLoader libraries = PageFiles.class.getClassLoader();
    LIBRARIES.forEach(
        (name, path) -> files.put(name, read(libraries.getResourceAsStream(path), path)));
    Buffer first = read(PageFiles.class.getResourceAsStream("index.html"), "index.html");
    return Linked.of(files, first.toString(StandardCharsets.UTF_8));
  }

  private static Buffer read(@Nullable InputStream resource, String name) {
    if (resource == null) {
      throw RunlaneException.invariantViolation("the jar lacks %s", name);
    }
    try (resource) {
      return Buffer.buffer(resource.readAllBytes());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(name + " cannot be read", unreadable);
    }
  }

  private static String hash(Map<String, Buffer> files) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      files.forEach((name, content) -> {
        digest.update(name.getBytes(StandardCharsets.UTF_8));
        digest.update(content.getBytes());
      });
      return HexFormat.of().formatHex(digest.digest()).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException absent) {
      throw new IllegalStateException("every Java has SHA-256", absent);
    }
  }

  /** The hash of all files. */
  String version() {
    return version;
  }

  /** The page that every address of a view answers. */
  PageFile firstPage() {
    return firstPage;
  }

  /** A file by its name below its version; empty for any other. */
  Optional<PageFile> file(String name) {
    return Optional.ofNullable(files.get(name));
  }
}
