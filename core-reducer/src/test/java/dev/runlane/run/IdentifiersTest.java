package dev.runlane.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class IdentifiersTest {

  @ParameterizedTest
  @ValueSource(strings = {"a", "emails.send", "Größe", "名前", "a b/c", "🦆"})
  void any_other_text_is_an_id(String id) {
    assertThat(Identifiers.fault(id, 128)).isEmpty();
  }

  @Test
  void a_missing_or_empty_id_has_a_fault() {
    assertThat(Identifiers.fault(null, 128)).contains("must not be empty");
    assertThat(Identifiers.fault("", 128)).contains("must not be empty");
  }

  @Test
  void the_colon_and_nul_and_half_a_character_are_faults() {
    assertThat(Identifiers.fault("a:b", 128)).contains("must not contain ':', which is reserved");
    assertThat(Identifiers.fault("a\0b", 128)).contains("must not contain NUL");
    assertThat(Identifiers.fault("a\ud83e", 128))
        .contains("must not contain half a surrogate pair");
  }

  @Test
  void length_is_counted_in_bytes_of_utf_8() {
    assertThat(Identifiers.fault("ü".repeat(64), 128)).isEmpty();
    assertThat(Identifiers.fault("ü".repeat(64) + "x", 128))
        .contains("must have at most 128 bytes of UTF-8");
    assertThat(Identifiers.fault("x".repeat(129), 128)).isPresent();
  }

  @Test
  void a_fault_fails_validation_and_names_what_is_wrong() {
    RunlaneException failure =
        catchThrowableOfType(RunlaneException.class, () -> Identifiers.requireId("queue", "a:b"));

    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(failure).hasMessage("queue must not contain ':', which is reserved");
  }

  @Test
  void ids_keys_and_environments_have_their_own_limits() {
    assertAccepts(() -> Identifiers.requireId("run", "x".repeat(128)));
    assertRefuses(() -> Identifiers.requireId("run", "x".repeat(129)));
    assertAccepts(() -> Identifiers.requireKeyOrNull("key", "x".repeat(512)));
    assertAccepts(() -> Identifiers.requireKeyOrNull("key", null));
    assertRefuses(() -> Identifiers.requireKeyOrNull("key", "x".repeat(513)));
    assertRefuses(() -> Identifiers.requireKeyOrNull("key", ""));
    assertAccepts(() -> Identifiers.requireEnvironment(new Environment("x".repeat(64))));
    assertRefuses(() -> Identifiers.requireEnvironment(new Environment("x".repeat(65))));
  }

  private static void assertAccepts(Runnable check) {
    assertThatCode(check::run).doesNotThrowAnyException();
  }

  private static void assertRefuses(Runnable check) {
    assertThat(catchThrowableOfType(RunlaneException.class, check::run)).isNotNull();
  }

  @Test
  void ids_are_ordered_by_their_code_points_beyond_the_basic_plane_too() {
    assertThat(Stream.of(
                "run_b", "run_\uD83D\uDE00", "run_\uFF5E", "run_", "run_a", "run_\uD83D\uDE01")
            .sorted(Identifiers.ORDER))
        .containsExactly(
            "run_", "run_a", "run_b", "run_\uFF5E", "run_\uD83D\uDE00", "run_\uD83D\uDE01");
  }
}
