package dev.runlane.console.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("modules linked to one file")
@DisplayNameGeneration(ReplaceUnderscores.class)
class LinkedModulesTest {
  @TempDir
  Path folder;

  @Test
  void run_once_behind_what_they_import_and_are_the_same_under_their_own_names() throws Exception {
    Map<String, Buffer> linked = LinkedModules.of(
        Map.of(
            "app.js",
                js(
                    "import { count, Thing as Renamed } from './lib/a.js';",
                    "import './lib/b.js';",
                    "console.log('app', count(), new Renamed().name, await_());",
                    "function await_() { return import('./later.js').then(() => 1) && 'asks'; }"),
            "lib/a.js",
                js(
                    "import { told } from '../vendor/v.js';",
                    "let counted = 0;",
                    "export function count() { counted += 1; return told + counted; }",
                    "export class Thing { name = 'thing'; }",
                    "console.log('a');"),
            "lib/b.js",
                js(
                    "import { count } from './a.js';",
                    "export { told } from '../vendor/v.js';",
                    "console.log('b', count());"),
            "later.js",
                js(
                    "import { count } from './lib/a.js';",
                    "import { told } from './lib/b.js';",
                    "console.log('later', count(), told);"),
            "vendor/v.js", js("export const told = 'v';")),
        List.of("app.js"));

    assertThat(LinkedModules.librariesOf(linked)).containsExactly("vendor/v.js");
    assertThat(run(linked)).containsExactly("a", "b v1", "app v2 thing asks", "later v3 v");
  }

  @Test
  void are_refused_where_they_could_not_run_as_they_are_written() {
    refused("itself", Map.of("app.js", js("import './b.js';"), "b.js", js("import './app.js';")));
    refused("not there", Map.of("app.js", js("import './b.js';")));
    refused("the line export default", Map.of("app.js", js("export default 1;")));
    refused("the line export let", Map.of("app.js", js("export let changing = 1;")));
    refused("the line import {", Map.of("app.js", js("import {", "  a } from './b.js';")));
    refused(
        "outside",
        Map.of(
            "app.js",
            js("import './lib/c.js';"),
            "lib/c.js",
            js("const c = () => import('../d.js');")));
    refused(
        "outside",
        Map.of("app.js", js("import './lib/c.js';"), "lib/c.js", js("const c = import.meta.url;")));
  }

  private static void refused(String why, Map<String, Buffer> files) {
    assertThatThrownBy(() -> LinkedModules.of(files, List.of("app.js"))).hasMessageContaining(why);
  }

  private static Buffer js(String... lines) {
    return Buffer.buffer(String.join("\n", lines));
  }

  private List<String> run(Map<String, Buffer> linked) throws IOException, InterruptedException {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "node"))),
        "Node is not installed");
    Map<String, Buffer> files = new HashMap<>(linked);
    files.put("package.json", Buffer.buffer("{\"type\": \"module\"}"));
    for (Map.Entry<String, Buffer> file : files.entrySet()) {
      Path path = folder.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, file.getValue().getBytes());
    }
    Path output = folder.resolve("output");
    Process node = new ProcessBuilder("node", LinkedModules.NAME)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
    assertThat(node.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return Files.readAllLines(output, StandardCharsets.UTF_8);
  }
}
