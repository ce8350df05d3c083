package dev.runlane.example;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** How the packages inside the modules stand to each other. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RoomRulesTest {
  /** What the simulator puts the plain classes behind the verticles on: hosts and contexts of its own. */
  private static final Set<String> DRIVEN_BY_SIMULATION =
      Set.of("dev.runlane.runtime.process", "dev.runlane.jobs.queue.host");

  private static final int MOST_CLASSES = 30;
  private static final Pattern PACKAGE =
      Pattern.compile("^package ([a-z0-9.]+);", Pattern.MULTILINE);
  private static final Pattern LEFT_OUT = Pattern.compile("<api.internal>([^<]*)</api.internal>");
  private static final Pattern EXPORTED =
      Pattern.compile("^  exports ([a-z0-9.]+)(;| to$)", Pattern.MULTILINE);

  /** They use a jar that has no module name, or are programs and tests. */
  private static final Set<String> WITHOUT_DESCRIPTOR = Set.of(
      "kafka-broker",
      "test-infra",
      "transport-kafka",
      "lane-pg-kafka",
      "storage-pg-jdbc",
      "kotlin",
      "mutiny",
      "rxjava3",
      "spring-boot-starter",
      "connector-kit",
      "simulation",
      "telemetry",
      "cli",
      "example-orders");

  /** From each package to those it uses, with one dependency that says so. */
  private static final Map<String, Map<String, String>> ARROWS = arrows();

  @Test
  void packages_use_each_other_in_one_direction() {
    List<String> circles = new ArrayList<>();
    for (String from : ARROWS.keySet()) {
      ARROWS.get(from).forEach((to, because) -> {
        if (reachable(to).contains(from)) {
          circles.add(from + " -> " + to + ": " + because);
        }
      });
    }

    assertThat(circles).isEmpty();
  }

  @Test
  void a_package_stays_small_enough_to_be_known() {
    Map<String, Long> sizes = new TreeMap<>(ProjectClasses.ALL.stream()
        .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
        .collect(groupingBy(JavaClass::getPackageName, counting())));

    assertThat(sizes)
        .allSatisfy((name, size) ->
            assertThat(size).as("classes of %s", name).isLessThanOrEqualTo(MOST_CLASSES));
  }

  @Test
  void the_facade_of_the_runtime_is_used_by_no_room_of_it() {
    Set<String> users = ARROWS.entrySet().stream()
        .filter(room -> room.getKey().startsWith("dev.runlane.runtime."))
        .filter(room -> room.getValue().containsKey("dev.runlane.runtime"))
        .map(Map.Entry::getKey)
        .collect(toCollection(TreeSet::new));

    assertThat(users).isEmpty();
  }

  @Test
  void what_a_module_keeps_for_itself_is_used_by_no_other() throws IOException {
    Set<String> internal = internal();
    assertThat(internal).contains("dev.runlane.runtime.attempt");

    Set<String> offences = new TreeSet<>();
    for (JavaClass type : ProjectClasses.ALL) {
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        boolean isDriven = DRIVEN_BY_SIMULATION.contains(target.getPackageName())
            && type.getPackageName().startsWith("dev.runlane.simulation.");
        if (internal.contains(target.getPackageName())
            && !isDriven
            && !ProjectClasses.moduleOf(target).equals(ProjectClasses.moduleOf(type))) {
          offences.add(dependency.getDescription());
        }
      }
    }

    assertThat(offences).isEmpty();
  }

  @Test
  void a_module_exports_all_its_packages_but_those_it_keeps_for_itself() throws IOException {
    Map<String, Set<String>> wanted = new TreeMap<>();
    for (JavaClass type : ProjectClasses.ALL) {
      String module = ProjectClasses.moduleOf(type);
      if (!WITHOUT_DESCRIPTOR.contains(module) && !type.getSimpleName().equals("package-info")) {
        wanted.computeIfAbsent(module, name -> new TreeSet<>()).add(type.getPackageName());
      }
    }
    Set<String> internal = internal();
    wanted.values().forEach(packages -> packages.removeAll(internal));

    Map<String, Set<String>> exported = new TreeMap<>();
    for (String module : wanted.keySet()) {
      exported.put(module, exportsOf(module).keySet());
    }

    assertThat(exported).isEqualTo(wanted);
  }

  @Test
  void what_the_postgres_modules_share_is_exported_to_them_alone() throws IOException {
    assertThat(exportsOf("postgres-base"))
        .containsOnly(
            Map.entry("dev.runlane.postgres", " to"),
            Map.entry("dev.runlane.postgres.schema", " to"),
            Map.entry("dev.runlane.postgres.statement", " to"),
            Map.entry("dev.runlane.postgres.options", ";"));
  }

  @Test
  void what_modules_keep_for_themselves_is_left_out_where_releases_are_compared()
      throws IOException {
    Matcher left = LEFT_OUT.matcher(Files.readString(Path.of("..", "pom.xml")));
    assertThat(left.find()).isTrue();
    Set<String> wanted = internal();
    wanted.add("dev.runlane.postgres");
    wanted.add("dev.runlane.postgres.statement");

    assertThat(left.group(1).strip().split(";\\s*")).containsExactlyElementsOf(wanted);
  }

  private static Map<String, String> exportsOf(String module) throws IOException {
    return exports(Path.of("..", module, "src/main/java/module-info.java"));
  }

  /** The packages that a module's descriptor exports, each with what follows its name. */
  static Map<String, String> exports(Path descriptor) throws IOException {
    Map<String, String> exports = new TreeMap<>();
    EXPORTED
        .matcher(Files.readString(descriptor))
        .results()
        .forEach(export -> exports.put(export.group(1), export.group(2)));
    return exports;
  }

  /** The packages whose description begins or ends with the word. */
  private static Set<String> internal() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path file : MarkdownPage.files(MarkdownPage.PROJECT, "/package-info.java")) {
      String text = Files.readString(file);
      if (file.toString().contains("/src/main/java/") && text.contains("Internal:")) {
        Matcher name = PACKAGE.matcher(text);
        assertThat(name.find()).as("%s names its package", file).isTrue();
        found.add(name.group(1));
      }
    }
    return found;
  }

  private static Map<String, Map<String, String>> arrows() {
    Map<String, Map<String, String>> arrows = new TreeMap<>();
    for (JavaClass type : ProjectClasses.ALL) {
      Map<String, String> uses =
          arrows.computeIfAbsent(type.getPackageName(), name -> new TreeMap<>());
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (ProjectClasses.isOurs(target)
            && !target.getPackageName().equals(type.getPackageName())) {
          uses.putIfAbsent(target.getPackageName(), dependency.getDescription());
        }
      }
    }
    return arrows;
  }

  private static Set<String> reachable(String start) {
    Set<String> found = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(start));
    while (!open.isEmpty()) {
      for (String next : ARROWS.getOrDefault(open.pop(), Map.of()).keySet()) {
        if (found.add(next)) {
          open.push(next);
        }
      }
    }
    return found;
  }
}
