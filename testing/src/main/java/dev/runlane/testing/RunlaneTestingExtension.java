package dev.runlane.testing;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Gives each test of JUnit 5 a {@link RunlaneTesting} of its own, as a parameter of the test or of a method that runs
 * before or after each one; of a constructor or a method for all tests it would be everybody's, so it is refused there.
 * A test that fails shows the timelines of its runs as a suppressed exception, and one that passes fails all
 * the same where a fault it planned never happened.
 */
public final class RunlaneTestingExtension
    implements ParameterResolver, TestExecutionExceptionHandler, AfterTestExecutionCallback {
  private static final ExtensionContext.Namespace HERE =
      ExtensionContext.Namespace.create(RunlaneTestingExtension.class);

  /** An extension that holds nothing. */
  public RunlaneTestingExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == RunlaneTesting.class;
  }

  /** The same for all parameters of one test. */
  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    if (test.getTestMethod().isEmpty()) {
      throw new ParameterResolutionException(
          "RunlaneTesting is of one test: take it in the test itself or in @BeforeEach, not in "
              + parameter.getDeclaringExecutable().getName());
    }
    return test.getStore(HERE)
        .getOrComputeIfAbsent(
            RunlaneTesting.class, type -> RunlaneTesting.create(), RunlaneTesting.class);
  }

  @Override
  public void handleTestExecutionException(ExtensionContext test, Throwable failure)
      throws Throwable {
    RunlaneTesting testing = used(test);
    if (testing != null) {
      String message = String.valueOf(failure.getMessage());
      String timelines = testing.runs().stream()
          .map(TestRun::timeline)
          .filter(timeline -> !message.contains(timeline))
          .collect(Collectors.joining("\n\n"));
      if (!timelines.isEmpty()) {
        failure.addSuppressed(new Timelines(timelines));
      }
    }
    throw failure;
  }

  private static @Nullable RunlaneTesting used(ExtensionContext test) {
    return test.getStore(HERE).get(RunlaneTesting.class, RunlaneTesting.class);
  }

  @Override
  public void afterTestExecution(ExtensionContext test) {
    RunlaneTesting testing = used(test);
    if (testing == null || test.getExecutionException().isPresent()) {
      return;
    }
    List<String> planned = testing.faults().planned();
    if (!planned.isEmpty()) {
      throw new AssertionError("planned, but never happened: " + String.join(", ", planned) + "\n\n"
          + testing.timelines());
    }
  }

  /** Carries text to whoever prints the failure. */
  private static final class Timelines extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Timelines(String timelines) {
      super("the runs of the test:\n\n" + timelines, null, false, false);
    }
  }
}
