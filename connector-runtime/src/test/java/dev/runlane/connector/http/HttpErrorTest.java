package dev.runlane.connector.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class HttpErrorTest {
  @ParameterizedTest
  @CsvSource({
    "VALIDATION_FAILED, 400, invalid_request, invalid_request_error, true",
    "CONNECTOR_INVALID, 400, connector_invalid, invalid_request_error, true",
    "STORAGE_UNAVAILABLE, 503, storage_unavailable, api_error, false",
    "OPERATION_CANCELLED, 503, operation_cancelled, api_error, false",
    "INTERNAL_ERROR, 500, internal_error, api_error, false"
  })
  void a_failure_has_a_status_and_a_code_and_words_where_they_are_the_caller_s(
      ErrorCode failure, int status, String code, String type, boolean isTold) {
    HttpError error = HttpError.of(500, RunlaneException.of(failure, "what it was"));

    assertThat(error.status()).isEqualTo(status);
    assertThat(error.code()).isEqualTo(code);
    assertThat(error.type()).isEqualTo(type);
    assertThat(error.message().contains("what it was")).isEqualTo(isTold);
  }
}
