package dev.runlane.example;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The maps of the READMEs, section "Rooms": every package of the module, and classes that exist. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RoomMapsTest {
  private static final Pattern ROW =
      Pattern.compile("^\\| `(dev\\.runlane[a-z0-9.]*)`", Pattern.MULTILINE);
  private static final Pattern CLASS =
      Pattern.compile("`([A-Z][A-Za-z0-9]+)(?:\\.[a-zA-Z]+)?(?:\\(\\))?`");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "reactive-contracts",
        "conformance",
        "storage-memory",
        "storage-pg-reactive",
        "job-queue",
        "runtime-verticles",
        "connector-runtime",
        "test-infra",
        "transport-sql",
        "connector-kit",
        "simulation",
        "testing",
        "telemetry",
        "spring-boot-starter",
        "operator-console",
        "cli"
      })
  void the_map_of_a_module_names_each_of_its_packages_and_only_classes_it_has(String module)
      throws IOException {
    String map = map(module);
    Set<String> packages = new TreeSet<>();
    Set<String> classes = new TreeSet<>();
    for (JavaClass type : ProjectClasses.ALL) {
      if (ProjectClasses.moduleOf(type).equals(module)
          && !type.getSimpleName().equals("package-info")) {
        packages.add(type.getPackageName());
        classes.add(type.getSimpleName());
      }
    }

    assertThat(found(ROW, map)).isEqualTo(packages);
    assertThat(classes).containsAll(found(CLASS, map));
  }

  private static String map(String module) throws IOException {
    String readme = Files.readString(Path.of("..", module, "README.md"));
    int start = readme.indexOf("\n## Rooms\n");
    assertThat(start).as("section Rooms of %s/README.md", module).isNotNegative();
    int end = readme.indexOf("\n## ", start + 1);
    return readme.substring(start, end < 0 ? readme.length() : end);
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(match -> match.group(1))
        .collect(toCollection(TreeSet::new));
  }
}
