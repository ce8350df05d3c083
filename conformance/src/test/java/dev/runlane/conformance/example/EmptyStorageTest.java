package dev.runlane.conformance.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The suites find a storage that keeps nothing out, whatever they look at. */
class EmptyStorageTest {
  /** What a storage says of itself, whatever it then does. */
  private static final String CAPABILITIES =
      "S95 every capability that a full storage promises is reported";

  @Test
  void a_storage_that_keeps_nothing_passes_no_case_but_that_of_its_capabilities() {
    Cases cases = run(MyStorageSuite.class);

    assertThat(cases.failed).hasSizeGreaterThan(250);
    assertThat(cases.passed).containsExactly(CAPABILITIES);
  }

  @Test
  void a_batch_that_keeps_nothing_passes_no_case() {
    Cases cases = run(MyBatchStorageSuite.class);

    assertThat(cases.failed).hasSizeGreaterThan(25);
    assertThat(cases.passed).isEmpty();
  }

  private static Cases run(Class<?> suite) {
    Cases cases = new Cases();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(suite))
                .build(),
            cases);
    return cases;
  }

  private static final class Cases implements TestExecutionListener {
    private final List<String> passed = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (test.isTest()) {
        boolean success = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        (success ? passed : failed).add(test.getDisplayName());
      }
    }
  }
}
