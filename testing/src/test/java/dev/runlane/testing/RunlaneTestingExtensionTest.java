package dev.runlane.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import io.vertx.core.Future;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunlaneTestingExtensionTest {
  private static final Task<String> TASK = Task.define("test.task", String.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));

  /** Run by the tests below; the name keeps it from being found. */
  @ExtendWith(RunlaneTestingExtension.class)
  static class Cases {
    private RunlaneTesting before;

    @BeforeEach
    void deploy(RunlaneTesting testing) {
      before = testing.deploy(TASK);
    }

    @Test
    void passes(RunlaneTesting testing) {
      assertThat(testing).isSameAs(before);
      assertThat(testing.runs()).isEmpty();
      testing.trigger(TASK, "a");
    }

    @Test
    void passesToo(RunlaneTesting testing) {
      passes(testing);
    }

    @Test
    void fails(RunlaneTesting testing) {
      testing.trigger(TASK, "a");
      testing.runUntilIdle();
      throw new IllegalStateException("on purpose");
    }

    @Test
    void asserts(RunlaneTesting testing) {
      TestRun run = testing.trigger(TASK, "a");
      RunlaneAssertions.assertThat(run).succeeded();
    }

    @Test
    void plansInVain(RunlaneTesting testing) {
      testing.faults().failStep("mistyped", 1);
    }
  }

  /** Takes for all tests what is of one. */
  @ExtendWith(RunlaneTestingExtension.class)
  static class Everybodys {
    Everybodys(RunlaneTesting testing) {
      testing.deploy(TASK);
    }

    @Test
    void shares() {}
  }

  private final Map<String, Throwable> failures = failures();

  private static Map<String, Throwable> failures() {
    TestExecutionSummary summary = run(Cases.class);
    assertThat(summary.getTestsFoundCount()).isEqualTo(5);
    return summary.getFailures().stream()
        .collect(Collectors.toMap(
            failure -> failure.getTestIdentifier().getDisplayName().replaceAll("\\(.*", ""),
            TestExecutionSummary.Failure::getException));
  }

  private static TestExecutionSummary run(Class<?> cases) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(cases))
                .build(),
            listener);
    return listener.getSummary();
  }

  @Test
  void a_kit_that_all_tests_would_share_is_refused() {
    assertThat(run(Everybodys.class).getFailures()).singleElement().satisfies(failure -> assertThat(
            failure.getException())
        .isInstanceOf(ParameterResolutionException.class)
        .hasMessageContaining("@BeforeEach"));
  }

  @Test
  void each_test_has_a_kit_of_its_own() {
    assertThat(failures).containsOnlyKeys("fails", "asserts", "plansInVain");
  }

  @Test
  void a_test_that_fails_shows_the_timelines_of_its_runs() {
    assertThat(failures.get("fails")).isInstanceOf(IllegalStateException.class);
    assertThat(failures.get("fails").getSuppressed())
        .singleElement()
        .satisfies(timelines -> assertThat(timelines).hasMessageContaining("run.succeeded"));
  }

  @Test
  void a_timeline_that_an_assertion_shows_is_not_shown_again() {
    assertThat(failures.get("asserts")).hasMessageContaining("run.created");
    assertThat(failures.get("asserts").getSuppressed()).isEmpty();
  }

  @Test
  void a_fault_that_never_happens_fails_the_test_that_planned_it() {
    assertThat(failures.get("plansInVain"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("1 failures of step mistyped");
  }
}
