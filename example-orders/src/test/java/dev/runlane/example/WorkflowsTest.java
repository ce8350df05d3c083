package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a public host would run is what can be run here: scripts of this project, with names that exist. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WorkflowsTest {
  private static final Path PROJECT = Path.of("..");
  private static final Pattern RUN = Pattern.compile("(?m)^ +(?:- )?run: (?:>-\\s+)?(.+)$");
  private static final Pattern MODULES =
      Pattern.compile("(?m)^ +module: \\[(.+)]|--module ([a-z-]+)$");
  private static final Pattern NOT_QUICK =
      Pattern.compile("(?m)^not_quick=(?:\\$not_quick,)?([a-z,-]+)$");
  private static final Pattern MODULE = Pattern.compile("<module>([a-z0-9-]+)</module>");
  private static final Pattern ARTIFACT =
      Pattern.compile("(?s)</parent>.*?<artifactId>([a-z0-9-]+)</artifactId>");
  private static final Pattern VARIABLE = Pattern.compile("RUNLANE_TEST_[A-Z]+");
  private static final Set<String> OF_THE_HOST = Set.of("sudo", "grep", "mvn");

  static List<Path> workflows() throws Exception {
    try (Stream<Path> files = Files.list(PROJECT.resolve(".github/workflows"))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void each_step_calls_a_script_of_this_project_or_a_program_of_the_host(Path workflow)
      throws Exception {
    List<String> programs = all(RUN, workflow).map(run -> run.split(" ")[0]).toList();

    assertThat(programs).isNotEmpty().allSatisfy(program -> {
      if (!OF_THE_HOST.contains(program)) {
        assertThat(PROJECT.resolve(program)).isExecutable();
      }
    });
  }

  @Test
  void modules_and_variables_that_are_named_exist() throws Exception {
    Path check = PROJECT.resolve(".github/workflows/check.yml");

    assertThat(all(MODULES, check).flatMap(names -> Stream.of(names.split(", "))))
        .contains("storage-pg-reactive", "transport-kafka")
        .allSatisfy(
            module -> assertThat(PROJECT.resolve(module).resolve("pom.xml")).exists());
    assertThat(new TreeSet<>(all(VARIABLE, check).toList()))
        .containsExactly("RUNLANE_TEST_KAFKA", "RUNLANE_TEST_MARIADB")
        .allSatisfy(
            variable -> assertThat(Files.readString(PROJECT.resolve("test-infra/README.md")))
                .contains(variable));
  }

  @Test
  void what_the_quick_check_builds_needs_no_module_that_it_leaves_out() throws Exception {
    Set<String> leftOut = all(NOT_QUICK, PROJECT.resolve("check"))
        .flatMap(names -> Stream.of(names.split(",")))
        .collect(Collectors.toSet());
    List<String> modules = all(MODULE, PROJECT.resolve("pom.xml")).toList();
    Set<String> artifacts = new TreeSet<>();
    for (String module : leftOut) {
      artifacts.add(
          all(ARTIFACT, PROJECT.resolve(module).resolve("pom.xml")).findFirst().get());
    }

    assertThat(modules).containsAll(leftOut);
    for (String module : modules) {
      if (!leftOut.contains(module) && !module.equals("bom")) { // which names all and needs none
        String pom = Files.readString(PROJECT.resolve(module).resolve("pom.xml"));
        assertThat(artifacts).as(module).noneMatch(each -> pom.contains(">" + each + "<"));
      }
    }
  }

  /** The first group of each match that took part in it, or all of the match. */
  private static Stream<String> all(Pattern pattern, Path file) throws Exception {
    return pattern.matcher(Files.readString(file)).results().map(match -> {
      for (int group = 1; group <= match.groupCount(); group++) {
        if (match.group(group) != null) {
          return match.group(group);
        }
      }
      return match.group();
    });
  }
}
