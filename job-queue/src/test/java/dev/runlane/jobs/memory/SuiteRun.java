package dev.runlane.jobs.memory;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * How the cases of a suite ended that was run inside a test.
 *
 * @param outcomes by {@code Group.method_of_the_case}, for all that ran
 */
record SuiteRun(Map<String, TestExecutionResult> outcomes) {
  /** Runs all of a suite; a case that hangs has failed. */
  static SuiteRun of(Class<?> suite) {
    return run(List.of(selectClass(suite)), "");
  }

  /** Runs the groups of a suite that must notice the adapter; a case that hangs has failed. */
  static SuiteRun of(Class<?> suite, BrokenAdapter<?> broken) {
    List<DiscoverySelector> groups = broken.failing().stream()
        .map(failing -> failing.substring(0, failing.indexOf('.')))
        .distinct()
        .<DiscoverySelector>map(name -> selectNestedClass(List.of(suite), group(suite, name)))
        .toList();
    return run(groups, broken.sentence());
  }

  private static Class<?> group(Class<?> suite, String name) {
    return Arrays.stream(suite.getSuperclass().getDeclaredClasses())
        .filter(each -> each.getSimpleName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(
            "%s has no group %s".formatted(suite.getSuperclass().getSimpleName(), name)));
  }

  private static SuiteRun run(List<DiscoverySelector> selected, String brokenAdapter) {
    LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
        .selectors(selected)
        .configurationParameter(BrokenAdapter.PARAMETER, brokenAdapter)
        .configurationParameter("junit.jupiter.execution.timeout.test.method.default", "2 s")
        .build();
    LauncherConfig config = LauncherConfig.builder()
        .enableTestExecutionListenerAutoRegistration(false)
        .build();
    Collector collector = new Collector();
    LauncherFactory.create(config).execute(request, collector);
    return new SuiteRun(collector.outcomes);
  }

  /** The names of the cases that failed, sorted. */
  List<String> failed() {
    return withStatus(TestExecutionResult.Status.FAILED);
  }

  /** The names of the cases that did not fail, sorted. */
  List<String> passed() {
    return withStatus(TestExecutionResult.Status.SUCCESSFUL);
  }

  private List<String> withStatus(TestExecutionResult.Status status) {
    return outcomes.entrySet().stream()
        .filter(each -> each.getValue().getStatus() == status)
        .map(Map.Entry::getKey)
        .toList();
  }

  private static final class Collector implements TestExecutionListener {
    private final Map<String, TestExecutionResult> outcomes = new ConcurrentSkipListMap<>();

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      test.getSource()
          .filter(MethodSource.class::isInstance)
          .map(MethodSource.class::cast)
          .ifPresent(source -> outcomes.merge(name(source), result, Collector::worse));
    }

    private static String name(MethodSource source) {
      String group = source.getJavaClass().getSimpleName();
      return group + "." + source.getMethodName();
    }

    /** Cases that run several times, with parameters, failed if one of them did. */
    private static TestExecutionResult worse(TestExecutionResult one, TestExecutionResult other) {
      return one.getStatus() == TestExecutionResult.Status.SUCCESSFUL ? other : one;
    }
  }
}
