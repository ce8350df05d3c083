package dev.runlane.storage.memory;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
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
  /** Runs one suite against the adapter that the parameter names; a case that hangs has failed. */
  static SuiteRun of(Class<?> suite, String brokenAdapter) {
    LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
        .selectors(selectClass(suite))
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
