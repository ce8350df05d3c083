package dev.runlane.steps.sql.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.mysqlclient.MySQLException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server's answers mean, by number and SQLSTATE. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MysqlFailuresTest {
  private final MysqlFailures failures = new MysqlFailures();

  private RunlaneException ours(MySQLException answer) {
    return failures.of("recordStepResults", answer);
  }

  @ParameterizedTest
  @CsvSource({"1205,HY000", "1213,40001", "3100,HY000", "3101,40000", "9999,40002"})
  void what_others_were_in_the_way_of_is_sent_again_and_is_an_outage_in_the_end(
      int number, String state) {
    MySQLException answer = new MySQLException("secret", number, state);

    assertThat(failures.mayBeSentAgain(answer)).isTrue();
    assertThat(ours(answer).code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(ours(answer).isRetryable()).isTrue();
    assertThat(ours(answer).getMessage()).doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource({
    "1026,HY000", "1030,HY000", "1180,HY000", "1206,HY000", "1461,42000", "1637,HY000",
    "1045,28000", "1049,42000", "1129,HY000", "1130,HY000", "9999,28000", "9999,08S01"
  })
  void what_passes_is_an_outage(int number, String state) {
    MySQLException answer = new MySQLException("secret", number, state);

    assertThat(failures.mayBeSentAgain(answer)).isFalse();
    assertThat(failures.isRolledBack(answer)).isFalse();
    assertThat(ours(answer).code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(ours(answer).isRetryable()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1053, 1243, 1290, 1792, 1836, 1927, 3169, 4031})
  void a_connection_is_of_no_more_use_after_its_server_has_said_so(int number) {
    MySQLException answer = new MySQLException("secret", number, "HY000");

    assertThat(failures.endsConnection(answer)).isTrue();
    assertThat(failures.isReadOnly(answer))
        .isEqualTo(number == 1290 || number == 1792 || number == 1836);
    assertThat(ours(answer).isRetryable()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"1366,22007", "1406,22001", "3988,HY000"})
  void a_value_that_the_tables_cannot_hold_is_the_callers_fault(int number, String state) {
    MySQLException answer = new MySQLException("secret", number, state);

    assertThat(failures.isRolledBack(answer)).isTrue();
    assertThat(ours(answer).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(ours(answer).getMessage()).doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource({"1064,42000", "1146,42S02", "1142,42000", "1271,HY000"})
  void a_statement_that_is_at_fault_fails_for_good_and_ends_no_connection(
      int number, String state) {
    MySQLException answer = new MySQLException("secret", number, state);

    assertThat(failures.endsConnection(answer)).isFalse();
    assertThat(failures.mayBeSentAgain(answer)).isFalse();
    assertThat(failures.isRolledBack(answer)).isTrue();
    assertThat(ours(answer).code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
    assertThat(ours(answer).isRetryable()).isFalse();
  }
}
