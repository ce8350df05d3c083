package dev.runlane.conformance.example;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * How the cases of a suite ended that was run inside a test.
 *
 * @param passed the names of those that passed
 * @param failed the names of those that failed, and why
 */
record SuiteCases(List<String> passed, Map<String, Throwable> failed) {
  static SuiteCases of(Class<?> suite) {
    SuiteCases cases = new SuiteCases(new ArrayList<>(), new HashMap<>());
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(suite))
                .build(),
            cases.listener());
    return cases;
  }

  private TestExecutionListener listener() {
    return new TestExecutionListener() {
      @Override
      public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest()) {
          result
              .getThrowable()
              .ifPresentOrElse(
                  failure -> failed.put(test.getUniqueId(), failure),
                  () -> passed.add(test.getDisplayName()));
        }
      }
    };
  }
}
