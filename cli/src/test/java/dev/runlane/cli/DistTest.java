package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("the folder that ./runlane dist makes")
@DisplayNameGeneration(ReplaceUnderscores.class)
class DistTest {
  private static final Path ASSEMBLE = Path.of("dist/assemble").toAbsolutePath();
  private static final String JAVA = System.getProperty("java.home") + "/bin";

  @TempDir
  private static Path folder;

  private static Path made;
  private static Path copy;
  private static Ended first;

  private record Ended(int exitCode, String said) {}

  @BeforeAll
  static void assemble() throws Exception {
    made = folder.resolve("made");
    Ended ended = run(ASSEMBLE.toString(), made.toString(), System.getProperty("java.class.path"));
    assertThat(ended.exitCode()).as(ended.said()).isZero();
    copy = folder.resolve("far & away | \"here\"");
    assertThat(run("cp", "-r", made.toString(), copy.toString()).exitCode()).isZero();
    // Makes the archive of its classes.
    first = run(copy.resolve("runlane").toString(), "--version");
  }

  /** With nothing in the environment but where Java and the shell's programs are. */
  private static Ended run(String... command) throws Exception {
    List<String> bare = new ArrayList<>(List.of("/usr/bin/env", "-i"));
    bare.add("PATH=" + JAVA + ":/usr/bin:/bin");
    bare.add("HOME=" + Files.createDirectories(folder.resolve("home")));
    bare.addAll(List.of(command));
    Process process = new ProcessBuilder(bare)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .start();
    String said = new String(process.getInputStream().readAllBytes(), "UTF-8");
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return new Ended(process.exitValue(), said);
  }

  @Test
  void works_where_it_was_copied_to_with_its_own_archive_of_classes_and_an_empty_home()
      throws Exception {
    Files.delete(made.resolve("LICENSE")); // the copy needs nothing of it
    Ended second = run(
        "/usr/bin/env",
        "RUNLANE_JAVA_OPTS=-Xmx64m -Xshare:on",
        copy.resolve("runlane").toString(),
        "runs",
        "list",
        "--help");

    assertThat(first).isEqualTo(new Ended(0, "runlane 0.1.0\n"));
    assertThat(copy.resolve("classes.jsa")).isNotEmptyFile();
    assertThat(made.resolve("classes.jsa")).doesNotExist();
    assertThat(second.exitCode()).as(second.said()).isZero();
    assertThat(second.said()).startsWith("Lists runs").contains("--status");
    assertThat(folder.resolve("home")).isEmptyDirectory();
  }

  @Test
  void what_works_on_until_it_is_interrupted_ends_where_it_has_no_memory() throws Exception {
    assertThat(exitsWithoutMemory("worker", "--help")).isEqualTo("true");
    assertThat(exitsWithoutMemory("connectors", "serve", "--help")).isEqualTo("true");
    assertThat(exitsWithoutMemory("runs", "list", "--help")).isEqualTo("false");
  }

  private static String exitsWithoutMemory(String... command) throws Exception {
    List<String> all = new ArrayList<>(List.of(
        "/usr/bin/env",
        "RUNLANE_JAVA_OPTS=-Xmx64m -XX:+PrintFlagsFinal",
        copy.resolve("runlane").toString()));
    all.addAll(List.of(command));
    Ended ended = run(all.toArray(String[]::new));
    assertThat(ended.exitCode()).as(ended.said()).isZero();
    Matcher flag = Pattern.compile("ExitOnOutOfMemoryError\\s+= (\\w+)").matcher(ended.said());
    assertThat(flag.find()).as(ended.said()).isTrue();
    return flag.group(1);
  }

  @Test
  void does_not_replace_a_folder_of_somebody_else() throws Exception {
    Path theirs = Files.createDirectory(folder.resolve("theirs"));
    Files.writeString(theirs.resolve("letter"), "dear");

    Ended ended = run(ASSEMBLE.toString(), theirs.toString(), "");

    assertThat(ended.exitCode()).isEqualTo(2);
    assertThat(ended.said()).contains("nothing was changed").hasLineCount(1);
    assertThat(theirs.resolve("letter")).hasContent("dear");
  }

  @Test
  void takes_the_place_of_one_that_was_made_before() throws Exception {
    Path again = folder.resolve("again");
    String jar = Files.createFile(folder.resolve("one.jar")).toString();
    assertThat(run(ASSEMBLE.toString(), again.toString(), jar).exitCode()).isZero();
    Files.createFile(again.resolve("old"));

    assertThat(run(ASSEMBLE.toString(), again + "/", jar).exitCode()).isZero();
    assertThat(run(ASSEMBLE.toString(), "--help", jar).exitCode()).isEqualTo(2);

    assertThat(again.resolve("old")).doesNotExist();
    assertThat(again.resolve("lib/order")).hasContent("one.jar");
  }
}
