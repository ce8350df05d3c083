package dev.runlane.conformance.broken;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** How the cases of a suite ended that was run inside a test, by {@code Group.method_of_the_case}. */
public final class SuiteRun {
  private final Map<String, TestExecutionResult> outcomes; // of all that ran

  private SuiteRun(Map<String, TestExecutionResult> outcomes) {
    this.outcomes = outcomes;
  }

  /** Runs all of a suite; a case that hangs has failed. */
  public static SuiteRun of(Class<?> suite) {
    return run(request("").selectors(selectClass(suite)));
  }

  /** Runs the cases of a suite that must notice the adapter; one that hangs has failed. */
  public static SuiteRun of(Class<?> suite, BrokenAdapter<?> broken) {
    List<DiscoverySelector> groups = broken.failing().stream()
        .map(failing -> failing.substring(0, failing.indexOf('.')))
        .distinct()
        .<DiscoverySelector>map(name -> selectNestedClass(List.of(suite), group(suite, name)))
        .toList();
    PostDiscoveryFilter cases = test -> FilterResult.includedIf(
        caseName(test.getSource()).map(broken.failing()::contains).orElse(true));
    return run(request(broken.sentence()).selectors(groups).filters(cases));
  }

  private static Class<?> group(Class<?> suite, String name) {
    return Arrays.stream(suite.getSuperclass().getDeclaredClasses())
        .filter(each -> each.getSimpleName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(
            "%s has no group %s".formatted(suite.getSuperclass().getSimpleName(), name)));
  }

  private static LauncherDiscoveryRequestBuilder request(String brokenAdapter) {
    return LauncherDiscoveryRequestBuilder.request()
        .configurationParameter(BrokenAdapter.PARAMETER, brokenAdapter)
        .configurationParameter("junit.jupiter.execution.timeout.test.method.default", "2 s")
        .configurationParameter("junit.jupiter.execution.parallel.enabled", "false");
  }

  private static SuiteRun run(LauncherDiscoveryRequestBuilder request) {
    LauncherConfig config = LauncherConfig.builder()
        .enableTestExecutionListenerAutoRegistration(false)
        .build();
    Collector collector = new Collector();
    LauncherFactory.create(config).execute(request.build(), collector);
    return new SuiteRun(collector.outcomes);
  }

  /** Of a test or of a group of them, which has none. */
  private static Optional<String> caseName(Optional<TestSource> source) {
    return source
        .filter(MethodSource.class::isInstance)
        .map(MethodSource.class::cast)
        .map(each -> each.getJavaClass().getSimpleName() + "." + each.getMethodName());
  }

  /** The names of the cases that failed, sorted. */
  public List<String> failed() {
    return withStatus(TestExecutionResult.Status.FAILED);
  }

  /** The names of the cases that did not fail, sorted. */
  public List<String> passed() {
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
      caseName(test.getSource()).ifPresent(name -> outcomes.merge(name, result, Collector::worse));
    }

    /** Cases that run several times, with parameters, failed if one of them did. */
    private static TestExecutionResult worse(TestExecutionResult one, TestExecutionResult other) {
      return one.getStatus() == TestExecutionResult.Status.SUCCESSFUL ? other : one;
    }
  }
}
