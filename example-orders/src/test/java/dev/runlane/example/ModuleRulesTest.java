package dev.runlane.example;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** How the modules stand to each other. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ModuleRulesTest {
  private static final String VERTX_JSON = "io.vertx.core.json.Json";
  private static final Set<String> BY_MAPPER_OF_VERTX =
      Set.of("encode", "encodePrettily", "toBuffer", "mapFrom", "mapTo");

  /** Methods that ask for a default, unless they are given another. */
  private static final Pattern BY_MACHINE =
      Pattern.compile("java\\.lang\\.String\\.(to(Lower|Upper)Case|getBytes)"
          + "|java\\.(util\\.Locale|util\\.TimeZone|nio\\.charset\\.Charset)\\.(get)?[dD]efault(Charset)?"
          + "|java\\.time\\.ZoneId\\.systemDefault"
          + "|java\\.time\\.format\\.DateTimeFormatter\\.(ofPattern|ofLocalized.*)"
          + "|java\\.text\\..*\\.(get.*Instance|<init>)"
          + "|java\\.lang\\.Process\\.(inputReader|errorReader|outputWriter)"
          + "|java\\.io\\.File(Reader|Writer)\\.<init>");

  /** Those that turn bytes into text or text into bytes. */
  private static final Pattern BYTES_AS_TEXT = Pattern.compile(
      "java\\.(lang\\.String|io\\.(InputStreamReader|OutputStreamWriter|PrintStream|PrintWriter)"
          + "|util\\.(Scanner|Formatter))\\.<init>");

  private static final Predicate<JavaClass> BYTES =
      type -> type.getName().matches("\\[B|java\\.io\\.(File|(Input|Output)Stream)");
  private static final Predicate<JavaClass> NAMED =
      type -> type.getName().matches("java\\.(nio\\.charset\\.Charset|util\\.Locale)");

  /** At a terminal, or asks whether the machine's language can be done with. */
  private static final String TELLS_PEOPLE =
      "dev\\.runlane\\.(cli\\.(RunlaneProgram|CompletionCommand|report\\.TextReporter"
          + "|run\\.ConsoleRunObserver|terminal\\.SafeOutput)|example\\.Report"
          + "|console\\.contract\\.ApiDocument)(\\$.*)?";

  /** What the main classes of each module may use; their own module always. */
  private static final Map<String, Set<String>> USES = Map.ofEntries(
      entry("core-reducer"),
      entry("timing", "core-reducer"),
      entry("reactive-contracts", "core-reducer", "timing"),
      entry("kafka-broker"),
      entry("test-infra"),
      entry("conformance", "core-reducer", "timing", "reactive-contracts"),
      entry("storage-memory", "core-reducer", "timing", "reactive-contracts"),
      entry("postgres-base", "core-reducer", "timing", "reactive-contracts"),
      entry("storage-pg-reactive", "core-reducer", "timing", "reactive-contracts", "postgres-base"),
      entry("transport-kafka", "core-reducer", "timing", "reactive-contracts"),
      entry(
          "lane-pg-kafka",
          "core-reducer",
          "timing",
          "reactive-contracts",
          "storage-pg-reactive",
          "transport-kafka"),
      entry("transport-sql", "core-reducer", "timing", "reactive-contracts", "postgres-base"),
      entry("job-queue", "core-reducer", "timing", "reactive-contracts", "postgres-base"),
      entry("runtime-verticles", "core-reducer", "timing", "reactive-contracts"),
      entry("storage-pg-jdbc", "core-reducer", "timing", "reactive-contracts", "postgres-base"),
      entry(
          "simulation",
          "core-reducer",
          "timing",
          "reactive-contracts",
          "storage-memory",
          "job-queue",
          "runtime-verticles"),
      entry(
          "testing",
          "core-reducer",
          "timing",
          "reactive-contracts",
          "storage-memory",
          "job-queue",
          "runtime-verticles"),
      entry("kotlin", "core-reducer", "reactive-contracts", "runtime-verticles"),
      entry("mutiny", "core-reducer", "reactive-contracts", "runtime-verticles", "timing"),
      entry("rxjava3", "core-reducer", "reactive-contracts", "runtime-verticles", "timing"),
      entry("connector-kit"),
      entry(
          "connector-runtime",
          "core-reducer",
          "timing",
          "reactive-contracts",
          "postgres-base",
          "runtime-verticles"),
      entry(
          "telemetry",
          "core-reducer",
          "timing",
          "reactive-contracts",
          "transport-kafka",
          "runtime-verticles",
          "job-queue",
          "connector-runtime"),
      entry(
          "spring-boot-starter",
          "core-reducer",
          "timing",
          "reactive-contracts",
          "postgres-base",
          "storage-pg-reactive",
          "runtime-verticles",
          "storage-pg-jdbc",
          "telemetry",
          "testing",
          "test-infra"),
      entry(
          "operator-console",
          "core-reducer",
          "timing",
          "reactive-contracts",
          "postgres-base",
          "runtime-verticles",
          "job-queue"),
      entry("operator-client", "core-reducer", "timing", "reactive-contracts", "runtime-verticles"),
      entry(
          "cli",
          "core-reducer",
          "timing",
          "reactive-contracts",
          "postgres-base",
          "storage-pg-reactive",
          "runtime-verticles",
          "job-queue",
          "connector-runtime",
          "operator-console",
          "operator-client",
          "test-infra"),
      entry(
          "example-orders",
          "core-reducer",
          "timing",
          "reactive-contracts",
          "storage-pg-reactive",
          "transport-kafka",
          "lane-pg-kafka",
          "runtime-verticles",
          "operator-console",
          "test-infra"));

  private static Map.Entry<String, Set<String>> entry(String module, String... uses) {
    return Map.entry(module, Set.of(uses));
  }

  @Test
  void every_module_with_classes_has_a_rule() {
    Set<String> found = new TreeSet<>();
    ProjectClasses.ALL.forEach(type -> found.add(ProjectClasses.moduleOf(type)));

    assertThat(found).isEqualTo(new TreeSet<>(USES.keySet()));
  }

  @Test
  void modules_use_only_what_the_design_lets_them() {
    Set<String> offences = new TreeSet<>();
    for (JavaClass type : ProjectClasses.ALL) {
      String module = ProjectClasses.moduleOf(type);
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (ProjectClasses.isOurs(target)) {
          String used = ProjectClasses.moduleOf(target);
          if (!used.equals(module) && !USES.get(module).contains(used)) {
            offences.add(module + " uses " + used + ": " + dependency.getDescription());
          }
        }
      }
    }

    assertThat(offences).isEmpty();
  }

  @Test
  void no_package_spans_two_modules() {
    Map<String, Set<String>> modules = new TreeMap<>();
    ProjectClasses.ALL.forEach(type -> modules
        .computeIfAbsent(type.getPackageName(), name -> new TreeSet<>())
        .add(ProjectClasses.moduleOf(type)));

    assertThat(modules).allSatisfy((name, owners) -> assertThat(owners).hasSize(1));
  }

  @Test
  void the_reducer_knows_java_alone() {
    check(classes()
        .that(ProjectClasses.areOf("core-reducer"))
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify.annotations", "dev.runlane.run"));
  }

  @Test
  void the_runtime_knows_no_adapter_and_no_database() {
    check(noClasses()
        .that(ProjectClasses.areOf("runtime-verticles"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..", "java.sql.."));
  }

  @Test
  void triggers_over_jdbc_know_no_vertx() {
    check(noClasses()
        .that(ProjectClasses.areOf("storage-pg-jdbc"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.vertx..", "io.netty.."));
  }

  @Test
  void only_the_kafka_modules_know_kafka() {
    check(noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.runlane.transport.kafka..", "dev.runlane.kafkabroker..", "dev.runlane.testinfra..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.kafka..", "io.vertx.kafka.."));
  }

  @Test
  void only_the_test_infrastructure_and_modules_for_who_blocks_use_a_blocking_driver() {
    check(noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.runlane.testinfra..", "dev.runlane.storage.pg.jdbc..", "dev.runlane.spring..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql..", "javax.sql..", "org.postgresql.."));
  }

  @Test
  void time_is_read_in_the_timing_module_alone() {
    ArchRule rule = CompositeArchRule.of(nobodyCalls(System.class, "currentTimeMillis"));
    for (Class<?> type : List.of(
        Instant.class,
        LocalDate.class,
        LocalDateTime.class,
        OffsetDateTime.class,
        ZonedDateTime.class)) {
      rule = CompositeArchRule.of(rule).and(nobodyCalls(type, "now"));
    }
    check(rule);
  }

  private static ArchRule nobodyCalls(Class<?> owner, String method) {
    return noClasses()
        .that()
        .resideOutsideOfPackages("dev.runlane.timing..", "dev.runlane.testinfra..")
        .should()
        .callMethod(owner, method);
  }

  /** Which the application configures: {@code VertxJson} and {@code JsonWriter} go by nothing of it. */
  @Test
  void no_module_of_an_application_writes_or_reads_json_by_the_mapper_of_vertx() {
    DescribedPredicate<JavaCall<?>> byMapper = DescribedPredicate.describe(
        "goes by the mapper of Vert.x",
        call -> BY_MAPPER_OF_VERTX.contains(call.getTarget().getName())
                && call.getTargetOwner().getName().matches(VERTX_JSON + "(Object|Array)")
            || call.getTarget().getName().equals("<init>")
                && call.getTargetOwner().getName().matches(VERTX_JSON + "(Object|Array)")
                && call.getTarget().getRawParameterTypes().stream()
                    .anyMatch(type -> type.getSimpleName().matches("String|Buffer"))
            || call.getTargetOwner().getName().equals(VERTX_JSON));
    check(noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.runlane.cli..",
            "dev.runlane.example..",
            "dev.runlane.conformance..",
            "dev.runlane.simulation..")
        .should()
        .callCodeUnitWhere(byMapper));
  }

  /** An application may still have that one, and what it lacks would be missed in the middle of an outage. */
  @Test
  void logs_are_written_with_what_slf4j_1_7_has_too() {
    check(noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.slf4j.event..", "org.slf4j.spi..")
        .orShould()
        .callMethodWhere(DescribedPredicate.describe(
            "came with SLF4J 2",
            call -> call.getTargetOwner().getName().equals("org.slf4j.Logger")
                && call.getName().matches("at[A-Z].*|isEnabledForLevel|makeLoggingEventBuilder"))));
  }

  /** What it says to people at a terminal, in their time and in what they can read, is all that may. */
  @Test
  void nothing_goes_by_the_language_zone_or_character_set_of_the_machine() {
    DescribedPredicate<JavaCall<?>> byMachine =
        DescribedPredicate.describe("goes by a default of the machine", call -> {
          String target = call.getTargetOwner().getName() + "." + call.getName();
          List<JavaClass> given = call.getTarget().getRawParameterTypes();
          return BY_MACHINE.matcher(target).matches() && given.stream().noneMatch(NAMED)
              || BYTES_AS_TEXT.matcher(target).matches()
                  && given.stream().anyMatch(BYTES)
                  && given.stream().noneMatch(NAMED);
        });
    check(
        noClasses().that().haveNameNotMatching(TELLS_PEOPLE).should().callCodeUnitWhere(byMachine));
  }

  @Test
  void nothing_sleeps() {
    check(noClasses()
        .that()
        .resideOutsideOfPackage("dev.runlane.testinfra..") // waits for programs of others
        .should()
        .callMethod(Thread.class, "sleep", long.class));
  }

  @Test
  void no_class_is_a_drawer_for_everything() {
    check(noClasses()
        .should()
        .haveSimpleNameEndingWith("Util")
        .orShould()
        .haveSimpleNameEndingWith("Utils")
        .orShould()
        .haveSimpleNameEndingWith("Common")
        .orShould()
        .haveSimpleNameEndingWith("Helper")
        .orShould()
        .haveSimpleNameEndingWith("Manager"));
    check(noClasses()
        .should()
        .resideInAnyPackage("..util..", "..utils..", "..common..", "..helper..", "..manager.."));
  }

  /** So that a component more is added in the record and where it is filled, and breaks nobody else. */
  @Test
  void a_record_of_many_components_is_constructed_by_itself_and_at_most_one_other_class() {
    Map<String, Set<String>> callers = new TreeMap<>();
    ProjectClasses.ALL.stream()
        .filter(type -> type.isRecord() && components(type) > 12)
        .forEach(type -> callers.put(
            type.getName(),
            type.getConstructorCallsToSelf().stream()
                .map(call -> call.getOriginOwner().getName())
                .filter(caller -> !caller.split("[$]")[0].equals(type.getName().split("[$]")[0]))
                .collect(Collectors.toCollection(TreeSet::new))));

    assertThat(callers).isNotEmpty().allSatisfy((name, others) -> assertThat(others)
        .hasSizeLessThan(2));
  }

  /** Without loading the class: what an optional library is for may be missing here. */
  private static long components(JavaClass record) {
    return record.getFields().stream()
        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
        .count();
  }

  private static void check(ArchRule rule) {
    rule.check(ProjectClasses.ALL);
  }
}
