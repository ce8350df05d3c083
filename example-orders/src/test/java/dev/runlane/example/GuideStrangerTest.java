package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.process.FreePort;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pages of the guide that begin with an empty folder, followed word by word: each block is the file that is named
 * before it, each command is run, and what a page shows as output is there. Of Runlane only what was deployed is known.
 */
@Tag("full")
@DisplayNameGeneration(ReplaceUnderscores.class)
class GuideStrangerTest {
  private static final Pattern BLOCK =
      Pattern.compile("((?:[^\\n]+\\n)*)\\n*^```([a-z]+)\\n([\\s\\S]*?)^```", Pattern.MULTILINE);
  private static final Pattern FILE = Pattern.compile("`(pom\\.xml|src/[^`]+)`");

  @TempDir
  private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"first-application", "kotlin"})
  void a_page_is_followed_from_an_empty_folder_to_a_test(String page) throws Exception {
    StrangersProject project = StrangersProject.in(folder);
    List<Block> blocks = blocks(page);
    files(blocks, project);
    String output = "";
    int compared = 0;
    for (Block block : blocks) {
      if (block.language.equals("sh")) {
        output = project.run("bash", "-ec", block.text);
      } else if (block.language.equals("text")) {
        compared++;
        assertThat(withoutIds(output).lines())
            .containsAll(withoutIds(block.text).lines().toList());
      }
    }

    assertThat(compared).isPositive();
    project.assertThatRunlaneWasDeployed();
  }

  @Test
  void the_page_of_spring_boot_is_followed_from_an_empty_folder_to_a_test() throws Exception {
    StrangersProject project = StrangersProject.in(folder);
    List<Block> blocks = blocks("spring-boot");
    files(blocks, project);
    List<String> commands = blocks.stream()
        .filter(block -> block.language.equals("sh"))
        .map(Block::text)
        .toList();
    assertThat(commands).hasSize(3);
    String port = "" + FreePort.find();

    Process application =
        project.start("application", "bash", "-ec", "SERVER_PORT=" + port + " " + commands.get(0));
    try {
      String server = "localhost:" + port;
      project.run(
          "bash",
          "-ec",
          "curl -s --retry 200 --retry-delay 1 --retry-connrefused " + server + "/actuator/health");
      String answers =
          project.run("bash", "-ec", commands.get(1).replace("localhost:8080", server));
      project.run(
          "bash",
          "-ec",
          "until [ \"$(curl -s " + server + "/orders/o-1)\" = true ]; do sleep 0.2; done");

      assertThat(answers).startsWith("run_").contains("\"UP\"");
    } finally {
      StrangersProject.end(application);
    }
    project.run("bash", "-ec", commands.get(2));
    project.assertThatRunlaneWasDeployed();
  }

  private static void files(List<Block> blocks, StrangersProject project) throws Exception {
    for (Block block : blocks) {
      if (block.file != null) {
        project.write(block.file, block.text);
      }
    }
  }

  /** Without ids of runs, which differ, and the colours that Maven leaves behind it. */
  private static String withoutIds(String text) {
    return text.replaceAll("\u001B\\[[0-9;]*m", "")
        .replaceAll("run_[0-9a-z]+", "run_…")
        .replaceAll("(?m) +$", "");
  }

  private static List<Block> blocks(String page) {
    Path file = MarkdownPage.PROJECT.resolve("docs/" + page + ".md");
    return BLOCK
        .matcher(MarkdownPage.read(file).text())
        .results()
        .map(found -> new Block(lastFile(found.group(1)), found.group(2), found.group(3)))
        .toList();
  }

  private static String lastFile(String paragraph) {
    Matcher named = FILE.matcher(paragraph);
    String last = null;
    while (named.find()) {
      last = named.group(1);
    }
    return last;
  }

  /**
   * A block of a page.
   *
   * @param file what its paragraph names; null where that is none
   */
  private record Block(String file, String language, String text) {}
}
