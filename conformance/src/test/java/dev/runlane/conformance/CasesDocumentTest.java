package dev.runlane.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Rule;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code CASES.md} lists every case of every suite; a copy as it should be is left in {@code target}. */
class CasesDocumentTest {
  private static final List<Class<?>> SUITES = List.of(
      StorageConformanceSuite.class,
      CapabilityGuardConformanceSuite.class,
      BatchStorageConformanceSuite.class,
      OutboxViewConformanceSuite.class,
      StepStorageConformanceSuite.class,
      ScheduleStorageConformanceSuite.class,
      QueueLimitConformanceSuite.class,
      OperatorStoreConformanceSuite.class,
      CancellationSourceConformanceSuite.class,
      TransportConformanceSuite.class,
      WakeupSourceConformanceSuite.class,
      DeliverySourceConformanceSuite.class,
      LaneConformanceSuite.class,
      CreationWakeupConformanceSuite.class,
      StepTransportConformanceSuite.class,
      StepSignalConformanceSuite.class,
      JobStoreConformanceSuite.class,
      JobEventSharingConformanceSuite.class,
      JobWebhookConformanceSuite.class);

  @Test
  void the_list_of_cases_is_complete() throws IOException {
    String expected = "# Cases\n\nEvery case of every suite with the rules it holds adapters to.\n"
        + SUITES.stream().map(CasesDocumentTest::suite).collect(Collectors.joining());
    Files.createDirectories(Path.of("target"));
    Files.writeString(Path.of("target", "CASES.md"), expected);

    assertThat(Files.readString(Path.of("CASES.md"))).isEqualTo(expected);
  }

  @Test
  void every_case_names_its_rules() {
    for (Class<?> suite : SUITES) {
      for (Class<?> promise : promises(suite)) {
        assertThat(Arrays.stream(promise.getDeclaredMethods())
                .filter(method -> method.getName().contains("_")))
            .as(promise.getSimpleName())
            .isNotEmpty()
            .allMatch(method -> method.isSynthetic() || method.isAnnotationPresent(Rule.class));
      }
    }
  }

  private static String suite(Class<?> suite) {
    return "\n## " + suite.getSimpleName() + "\n"
        + promises(suite).stream().map(CasesDocumentTest::promise).collect(Collectors.joining());
  }

  private static String promise(Class<?> promise) {
    String title = promise.getAnnotation(DisplayName.class).value();
    return "\n### %s (`%s`)\n\n".formatted(title, promise.getSimpleName())
        + Arrays.stream(promise.getDeclaredMethods())
            .filter(method -> method.isAnnotationPresent(Rule.class))
            .map(CasesDocumentTest::line)
            .sorted()
            .collect(Collectors.joining());
  }

  private static String line(Method method) {
    return "- %s: %s\n"
        .formatted(
            String.join(", ", method.getAnnotation(Rule.class).value()),
            method.getName().replace('_', ' '));
  }

  private static List<Class<?>> promises(Class<?> suite) {
    return Arrays.stream(suite.getDeclaredClasses())
        .<Class<?>>map(Class::getSuperclass)
        .sorted(Comparator.comparing(Class::getSimpleName))
        .toList();
  }
}
