package com.example.shelf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("the example connector")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ShelfTest {

  private static final Path EXAMPLE = Path.of("examples/shelf");
  private static final String NARROW =
      "{'type':'START','run_id':'r','collection_mode':'incremental','scope':{'streams':[{'name':"
          + "'books','fields':['rating','isbn','title','bought_at'],'time_range':{'since':"
          + "'2026-01-01T00:00:00Z'}}]},'state':{'books':{'line':1}},'bindings':{}}";
  private static final List<String> NARROW_ANSWER = List.of(
      "{'type':'PROGRESS','stream':'books','message':'Reading the shelf','count':1,'total':3}",
      "{'type':'RECORD','stream':'books','key':'978-2','data':{'isbn':'978-2','title':'Kites','rating':5,'bought_at':'2026-02-20T09:00:00Z'},'emitted_at':T}",
      "{'type':'STATE','stream':'books','cursor':{'line':3}}",
      "{'type':'DONE','status':'succeeded','records_emitted':1}");
  private static final String WIDE =
      "{'type':'START','run_id':'r','scope':{'streams':[{'name':'books','fields':['isbn','title','bought_at']}]},"
          + "'state':null,'bindings':{}}";

  @Test
  void the_readme_shows_it() throws IOException {
    Path source = Path.of("src/test/java/com/example/shelf/ShelfConnector.java");

    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + Files.readString(source) + "```");
  }

  @Test
  void goes_on_where_the_last_run_stopped_and_sends_only_what_is_asked_for() throws Exception {
    assertThat(messages(java(), NARROW)).containsExactlyElementsOf(NARROW_ANSWER);
  }

  @Test
  void says_the_same_in_another_language_without_the_kit() throws Exception {
    assumeTrue(isInstalled("node"), "Node is not installed");

    assertThat(messages(node(), NARROW)).containsExactlyElementsOf(NARROW_ANSWER);
    assertThat(messages(node(), WIDE)).hasSize(6).isEqualTo(messages(java(), WIDE));
  }

  private static List<String> java() {
    return List.of(
        System.getProperty("java.home") + "/bin/java",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        System.getProperty("java.class.path"),
        ShelfConnector.class.getName(),
        EXAMPLE.resolve("manifest.json").toString(),
        EXAMPLE.resolve("books.jsonl").toString());
  }

  private static List<String> node() {
    return List.of(
        "node",
        EXAMPLE.resolve("connector.mjs").toString(),
        EXAMPLE.resolve("books.jsonl").toString());
  }

  /** What the connector says to this START, with single quotes and without the time of day. */
  private static List<String> messages(List<String> command, String start) throws Exception {
    Process connector = new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    try {
      connector.getOutputStream().write((start.replace('\'', '"') + "\n").getBytes(UTF_8));
      connector.getOutputStream().close();
      String said = new String(connector.getInputStream().readAllBytes(), UTF_8);
      assertThat(connector.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(connector.exitValue()).isZero();
      return said.lines()
          .map(line -> line.replace('"', '\'').replaceAll("'emitted_at':'[^']*'", "'emitted_at':T"))
          .toList();
    } finally {
      connector.destroyForcibly();
    }
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
