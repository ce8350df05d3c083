package dev.runlane.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever an adapter does, its caller gets a future. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class AdapterCallTest {
  @Test
  void an_answer_is_passed_on_as_it_is() {
    Future<String> answer = Promise.<String>promise().future();

    assertThat(AdapterCall.of("getRun", () -> answer)).isSameAs(answer);
  }

  @Test
  void a_failed_future_is_passed_on_as_it_is() {
    IOException broken = new IOException("down");

    assertThat(AdapterCall.of("getRun", () -> Future.failedFuture(broken)).cause())
        .isSameAs(broken);
  }

  @Test
  void null_instead_of_a_future_is_a_contract_violation() {
    Throwable failure = AdapterCall.<String>of("getRun", () -> null).cause();

    assertThat(((RunlaneException) failure).code()).isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION);
    assertThat(failure).hasMessageContaining("getRun");
  }

  @Test
  void a_thrown_failure_of_ours_is_the_failure() {
    RunlaneException thrown = RunlaneException.validationFailed("no");

    Future<String> answer = AdapterCall.of("getRun", () -> {
      throw thrown;
    });

    assertThat(answer.cause()).isSameAs(thrown);
  }

  static Throwable[] foreign() {
    return new Throwable[] {
      new IllegalStateException("closed"), new IOException("sneaked"), new NoSuchMethodError("old")
    };
  }

  @ParameterizedTest
  @MethodSource("foreign")
  void anything_else_thrown_is_the_cause_of_a_contract_violation(Throwable thrown) {
    Future<String> answer = AdapterCall.of("getRun", () -> sneak(thrown));

    RunlaneException failure = (RunlaneException) answer.cause();
    assertThat(failure.code()).isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION);
    assertThat(failure).hasCause(thrown);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> Future<String> sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }
}
