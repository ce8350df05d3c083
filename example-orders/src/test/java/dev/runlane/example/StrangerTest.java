package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.process.FreePort;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application outside this project, made of the README's blocks, has of Runlane only what was deployed. */
@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class StrangerTest {
  @TempDir
  private Path folder;

  @Test
  void the_readme_is_built_and_run_from_what_was_deployed() throws Exception {
    StrangersProject project = StrangersProject.in(folder);
    MarkdownPage readme = MarkdownPage.read(MarkdownPage.PROJECT.resolve("README.md"));
    project.write("src/main/java/OrdersVerticle.java", readme.blocks("java").get(0));
    project.write("src/main/java/Stranger.java", StrangersProject.fixture("Stranger.java"));
    project.write(
        "pom.xml",
        StrangersProject.fixture("pom.xml")
            .replace("<!-- the README's -->", readme.blocks("xml").get(0)));

    project.run("mvn", "compile", "dependency:build-classpath", "-Dmdep.outputFile=class-path");
    String output = project.run(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        "target/classes:" + project.read("class-path"),
        "Stranger",
        PostgresServers.shared().createDatabase("stranger").toUri(),
        "" + FreePort.find());

    assertThat(output).contains("the run has SUCCEEDED");
    project.assertThatRunlaneWasDeployed();
  }
}
