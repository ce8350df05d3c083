package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.pgclient.PgException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SqlStateKindTest {
  /**
   * What each SQLSTATE becomes: our code, whether the caller may retry, whether the same is sent again inside, and
   * whether the connection is dropped.
   */
  @ParameterizedTest
  @CsvSource({
    // connection exceptions: of more than one kind, and all of them the end of the connection
    "08000, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "08003, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "08006, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "08P01, STORAGE_UNAVAILABLE, retryable, once, dropped", // PgBouncer says most things with it
    // feature not supported: a cached plan whose result a migration has changed
    "0A000, STORAGE_UNAVAILABLE, retryable, again, kept",
    "22P05, INTERNAL_ERROR, final, once, kept",
    "23502, ADAPTER_CONTRACT_VIOLATION, final, once, kept",
    "23503, ADAPTER_CONTRACT_VIOLATION, final, once, kept",
    "23505, ADAPTER_CONTRACT_VIOLATION, final, once, kept",
    "23514, ADAPTER_CONTRACT_VIOLATION, final, once, kept",
    // invalid transaction state
    "25001, INTERNAL_ERROR, final, once, kept",
    "25006, STORAGE_UNAVAILABLE, retryable, once, dropped", // a primary that became a standby
    "25P02, INTERNAL_ERROR, final, once, dropped", // somebody left a failed transaction behind
    "25P03, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "25P04, STORAGE_UNAVAILABLE, retryable, once, dropped",
    // a session that is not the one that prepared the statement
    "26000, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "42P05, STORAGE_UNAVAILABLE, retryable, once, dropped",
    // nobody is let in
    "28000, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "28P01, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "3D000, STORAGE_UNAVAILABLE, retryable, once, dropped",
    // others were in the way
    "40001, STORAGE_UNAVAILABLE, retryable, again, kept",
    "40003, STORAGE_UNAVAILABLE, retryable, once, dropped", // nobody knows whether it was done
    "40P01, STORAGE_UNAVAILABLE, retryable, again, kept",
    "42601, INTERNAL_ERROR, final, once, kept",
    "42501, INTERNAL_ERROR, final, once, kept",
    // insufficient resources: the session continues
    "53000, STORAGE_UNAVAILABLE, retryable, once, kept",
    "53100, STORAGE_UNAVAILABLE, retryable, once, kept",
    "53200, STORAGE_UNAVAILABLE, retryable, once, kept",
    "53300, STORAGE_UNAVAILABLE, retryable, once, kept",
    "53400, STORAGE_UNAVAILABLE, retryable, once, kept",
    "54000, STORAGE_UNAVAILABLE, retryable, once, kept", // notifications, or transactions, without
    // end
    "55P03, STORAGE_UNAVAILABLE, retryable, again, kept",
    // operator intervention
    "57000, STORAGE_UNAVAILABLE, retryable, once, kept",
    "57014, STORAGE_UNAVAILABLE, retryable, once, kept", // its own timeout, or pg_cancel_backend
    "57P01, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "57P02, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "57P03, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "57P04, STORAGE_UNAVAILABLE, retryable, once, dropped",
    "57P05, STORAGE_UNAVAILABLE, retryable, once, dropped",
    // system errors outside of Postgres: the disk, say
    "58000, STORAGE_UNAVAILABLE, retryable, once, kept",
    "58030, STORAGE_UNAVAILABLE, retryable, once, kept",
    "58P01, STORAGE_UNAVAILABLE, retryable, once, kept",
    "P0001, INTERNAL_ERROR, final, once, kept",
    "RL001, STORAGE_UNAVAILABLE, retryable, again, kept",
    // Postgres itself is at a loss
    "XX000, INTERNAL_ERROR, final, once, dropped",
    "XX001, INTERNAL_ERROR, final, once, dropped",
    "XX002, INTERNAL_ERROR, final, once, dropped",
  })
  void every_sqlstate_has_one_meaning(
      String state, ErrorCode code, String retryable, String again, String connection) {
    PgException failure = new PgException("as Postgres says it", "ERROR", state, null);

    RunlaneException ours = PgFailures.of("trying", failure);

    assertThat(ours.code()).isEqualTo(code);
    assertThat(ours.isRetryable()).isEqualTo(retryable.equals("retryable"));
    assertThat(PgFailures.mayBeSentAgain(failure)).isEqualTo(again.equals("again"));
    assertThat(PgFailures.endsConnection(failure)).isEqualTo(connection.equals("dropped"));
    boolean divided = again.equals("again") || code != ErrorCode.STORAGE_UNAVAILABLE;
    assertThat(PgFailures.isRolledBack(failure)).as("a part may fare better").isEqualTo(divided);
    assertThat(ours).hasCause(failure).hasMessageContaining(state);
    assertThat(ours.getMessage()).doesNotContain(failure.getErrorMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"FATAL", "PANIC"})
  void after_its_last_words_a_server_hangs_up_whatever_they_are(String severity) {
    PgException failure = new PgException("as Postgres says it", severity, "53300", null);

    assertThat(PgFailures.endsConnection(failure)).isTrue();
    assertThat(PgFailures.of("trying", failure).isRetryable()).isTrue();
    assertThat(PgFailures.mayBeSentAgain(failure)).isFalse();
    assertThat(PgFailures.isRolledBack(failure)).isFalse();
  }
}
