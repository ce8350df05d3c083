package dev.runlane.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunlaneExceptionTest {
  private static final RunlaneException TAKEN = RunlaneException.conflict(
      StorageConflictKind.SINGLETON_KEY, "task %s has a live owner", "emails.send");

  @ParameterizedTest
  @EnumSource
  void a_conflict_is_retryable_and_carries_its_kind_in_meta(StorageConflictKind kind) {
    RunlaneException conflict = RunlaneException.conflict(kind, "lost");

    assertThat(conflict.code()).isEqualTo(ErrorCode.STORAGE_CONFLICT);
    assertThat(conflict.isRetryable()).isTrue();
    assertThat(conflict.meta()).isEqualTo(Map.of("storageConflictKind", kind.value()));
    assertThat(conflict.conflictKind()).contains(kind);
    assertThat(StorageConflictKind.values())
        .allSatisfy(other -> assertThat(conflict.isConflict(other)).isEqualTo(other == kind));
  }

  @Test
  void a_conflict_cannot_be_made_without_a_kind() {
    assertThatThrownBy(() -> RunlaneException.of(ErrorCode.STORAGE_CONFLICT, "lost"))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void other_failures_have_their_code_are_not_retryable_and_no_conflict() {
    assertFailure(RunlaneException.invariantViolation("bad %d", 7), ErrorCode.INVARIANT_VIOLATION);
    assertFailure(
        RunlaneException.adapterContractViolation("bad %d", 7),
        ErrorCode.ADAPTER_CONTRACT_VIOLATION);
    assertFailure(
        RunlaneException.configurationInvalid("bad %d", 7), ErrorCode.CONFIGURATION_INVALID);
    assertFailure(RunlaneException.validationFailed("bad %d", 7), ErrorCode.VALIDATION_FAILED);
    assertFailure(
        RunlaneException.of(ErrorCode.RUN_NOT_FOUND, "bad %d", 7), ErrorCode.RUN_NOT_FOUND);
  }

  private static void assertFailure(RunlaneException failure, ErrorCode code) {
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.isRetryable()).isFalse();
    assertThat(failure.meta()).isEmpty();
    assertThat(failure.conflictKind()).isEmpty();
    assertThat(failure).hasMessage("bad 7").hasNoCause();
  }

  @Test
  void an_outage_is_retryable_and_keeps_the_drivers_failure_as_cause() {
    IOException refused = new IOException("connection refused");

    RunlaneException outage =
        RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, refused, "no database");

    assertThat(outage.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(outage.isRetryable()).isTrue();
    assertThat(outage).hasMessage("no database").hasCause(refused);
  }

  @Test
  void meta_is_added_to_a_copy_that_keeps_everything_else() {
    RunlaneException owned = TAKEN.withMeta(RunlaneException.OWNER_RUN_ID, "run_1");

    assertThat(TAKEN.meta()).hasSize(1);
    assertThat(owned.meta())
        .isEqualTo(Map.of("storageConflictKind", "singleton_key", "ownerRunId", "run_1"));
    assertThat(owned.isRetryable()).isTrue();
    assertThat(owned).hasMessage(TAKEN.getMessage());
    assertThat(owned.getStackTrace()).isEqualTo(TAKEN.getStackTrace());
  }

  @Test
  void a_cause_is_added_to_a_copy_that_keeps_everything_else() {
    IOException cause = new IOException("23505");

    RunlaneException caused = TAKEN.causedBy(cause);

    assertThat(caused).hasCause(cause).hasMessage(TAKEN.getMessage());
    assertThat(caused.meta()).isEqualTo(TAKEN.meta());
    assertThat(caused.withMeta("a", "b")).hasCause(cause);
  }

  @Test
  void whether_trying_again_helps_is_said_by_each_failure() {
    RunlaneException failure = RunlaneException.of(ErrorCode.TASK_FAILED, "Task failed.");

    assertThat(failure.asRetryable().isRetryable()).isTrue();
    assertThat(failure.asRetryable().asNotRetryable().isRetryable()).isFalse();
    assertThat(TAKEN.asNotRetryable().conflictKind()).contains(StorageConflictKind.SINGLETON_KEY);
  }

  @Test
  void the_meta_cannot_be_changed_from_outside() {
    assertThatThrownBy(() -> TAKEN.meta().put("a", "b"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void a_message_without_arguments_is_no_format() {
    assertThat(RunlaneException.validationFailed("100%")).hasMessage("100%");
  }

  @Test
  void numbers_in_messages_do_not_depend_on_the_default_locale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      assertThat(RunlaneException.validationFailed("limit %d", 10)).hasMessage("limit 10");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void serialisation_keeps_code_retryable_and_meta() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(TAKEN);
    }
    RunlaneException read = (RunlaneException)
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();

    assertThat(read.code()).isEqualTo(ErrorCode.STORAGE_CONFLICT);
    assertThat(read.isRetryable()).isTrue();
    assertThat(read.conflictKind()).contains(StorageConflictKind.SINGLETON_KEY);
  }
}
