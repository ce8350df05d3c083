package dev.runlane.console.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the files of the pages")
@DisplayNameGeneration(ReplaceUnderscores.class)
class PageFilesTest {
  private static final Path RESOURCES = Path.of("src/main/resources/dev/runlane/console/page");

  private static final List<String> TESTS = List.of(
      "api.test.mjs",
      "clock.test.mjs",
      "layout.test.mjs",
      "series.test.mjs",
      "story.test.mjs",
      "failures.test.mjs",
      "history.test.mjs",
      "page.test.mjs",
      "search.test.mjs",
      "live.test.mjs",
      "lists.test.mjs",
      "style.test.mjs",
      "timeline.test.mjs",
      "schema-form.test.mjs",
      "elements.test.mjs",
      "location.test.mjs",
      "findings.test.mjs",
      "changes.test.mjs",
      "json-source.test.mjs",
      "tags.test.mjs",
      "format.test.mjs",
      "zones.test.mjs");

  private static final String LIT_OF_NODE = "/META-INF/resources/webjars/lit-html/3.3.2/node/";

  private static final List<String> LIT =
      List.of("lit-html.js", "directive.js", "directive-helpers.js", "directives/repeat.js");

  @TempDir
  Path folder;

  @Test
  void are_all_served() throws IOException {
    try (Stream<Path> files = Files.walk(RESOURCES)) {
      assertThat(files
              .filter(Files::isRegularFile)
              .map(file -> RESOURCES.relativize(file).toString()))
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(PageFiles.OWN.stream(), Stream.of("index.html")).toList());
    }
  }

  @Test
  void of_pages_but_the_overview_are_read_when_they_are_shown() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      PageFiles files = load(vertx, Set.of());
      String first = files.file("first.js").orElseThrow().text();
      String app = Files.readString(RESOURCES.resolve("app.js"));

      assertThat(files.firstPage().text())
          .contains("/first.js\"", "/vendor/lit-html.js\"")
          .doesNotContain("/app.js", "/pages/", "/vendor/uplot.js");
      assertThat(first)
          .contains("const pages_overview_js = (", "const chart_chart_js = (")
          .doesNotContain("const pages_connector_run_js = (", "const timeline_timeline_js = (");
      assertThat(PageFiles.OWN)
          .filteredOn(name -> name.startsWith("pages/"))
          .filteredOn(name -> !first.contains("const " + name.replaceAll("\\W", "_") + " = ("))
          .hasSizeGreaterThan(10)
          .allSatisfy(name -> assertThat(app)
              .contains(
                  "'" + name.substring("pages/".length(), name.length() - ".js".length()) + "'"));
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void are_linked_and_compressed_once_for_consoles_with_other_ways_to_log_in() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      PageFiles open = load(vertx, Set.of());
      PageFiles byToken = load(vertx, Set.of(LogIn.TOKEN));

      assertThat(open.firstPage().text()).contains("data-log-ins=\"\"");
      assertThat(byToken.firstPage().text())
          .contains("data-log-ins=\"token\"", "/assets/" + open.version() + "/first.js");
      assertThat(byToken.file("style.css")).isEqualTo(open.file("style.css")).isPresent();
      assertThat(byToken.file("style.css").orElseThrow().plain())
          .as("of its own, to be sent by another thread")
          .isNotSameAs(open.file("style.css").orElseThrow().plain());
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }

  private static PageFiles load(Vertx vertx, Set<LogIn> logIns) throws Exception {
    return PageFiles.load(vertx, logIns)
        .toCompletionStage()
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS);
  }

  @Test
  void are_kept_compressed_for_browsers_that_take_that() {
    PageFile file = PageFile.of(Buffer.buffer("a".repeat(10_000)));

    assertThat(file.compressed().length()).isLessThan(200);
    assertThat(List.of("gzip, deflate, br", "br;q=1, GZIP ; q=0.5", "*"))
        .allMatch(PageFile::takesGzip);
    assertThat(List.of("br", "gzip;q=0", "gzip; q=0.000, br", "x-gzip2", ""))
        .noneMatch(PageFile::takesGzip);
    assertThat(PageFile.takesGzip(null)).isFalse();
  }

  @Test
  void draw_and_tell_as_their_own_tests_say() throws Exception {
    assumeTrue(isInstalled("node"), "Node is not installed");
    for (String name : PageFiles.OWN) {
      copy(Files.newInputStream(RESOURCES.resolve(name)), name);
    }
    for (String name : LIT) { // which expects no browser
      copy(
          Objects.requireNonNull(PageFiles.class.getResourceAsStream(LIT_OF_NODE + name)),
          "vendor/" + name);
    }
    Files.writeString(folder.resolve("package.json"), "{\"type\": \"module\"}");
    for (String name : TESTS) {
      Files.copy(Path.of("src/test/js", name), folder.resolve(name));
    }

    Path output = folder.resolve("output");
    Process node = new ProcessBuilder(
            Stream.concat(Stream.of("node", "--test"), TESTS.stream()).toList())
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();

    assertThat(node.waitFor(180, TimeUnit.SECONDS)).isTrue();
    assertThat(node.exitValue())
        .as(Files.readString(output, StandardCharsets.UTF_8))
        .isZero();
  }

  private void copy(InputStream file, String name) throws IOException {
    Path copy = folder.resolve(name);
    Files.createDirectories(copy.getParent());
    try (file) {
      Files.copy(file, copy);
    }
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
  }
}
