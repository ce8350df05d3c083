package dev.runlane.connector.controller.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a source of secrets")
class SecretSourceTest {
  private static final ConnectorRef SHELF = ConnectorRef.of("my-shelf");
  private static final ConnectorRef OTHER = ConnectorRef.of("other");

  @TempDir
  private Path folder;

  @Test
  void reads_the_variables_that_carry_the_connection_s_name() {
    SecretSource source = SecretSource.environment(
        Map.of("RUNLANE_SECRET__MY_SHELF__TOKEN", "s3cret", "TOKEN", "another's"));

    assertThat(source.secrets(SHELF, List.of("TOKEN"))).isEqualTo(Map.of("TOKEN", "s3cret"));
    assertThatThrownBy(() -> source.secrets(OTHER, List.of("TOKEN")))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining("RUNLANE_SECRET__OTHER__TOKEN")
        .hasMessageNotContaining("s3cret");
    assertThat(source.toString()).doesNotContain("s3cret");
  }

  @Test
  void has_no_variable_for_a_name_that_could_be_another_connection_s() {
    SecretSource source = SecretSource.environment(Map.of(
        "RUNLANE_SECRET__BANK__EU__TOKEN", "s3cret", "RUNLANE_SECRET__BANK___TOKEN", "s3cret"));

    assertThat(source.secrets(ConnectorRef.of("bank--eu"), List.of("TOKEN"))).hasSize(1);
    for (String name : List.of("EU__TOKEN", "_TOKEN")) {
      assertThatThrownBy(() -> source.secrets(ConnectorRef.of("bank"), List.of(name)))
          .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
              .isEqualTo(ErrorCode.CONFIGURATION_INVALID))
          .hasMessageContaining("the secret " + name);
    }
  }

  @Test
  void reads_a_file_that_only_its_owner_can_read() throws Exception {
    Path file = file("{\"my-shelf\": {\"TOKEN\": \"s3cret\"}}", "rw-------");

    SecretSource source = SecretSource.file(file);

    assertThat(source.secrets(SHELF, List.of("TOKEN"))).isEqualTo(Map.of("TOKEN", "s3cret"));
    assertThatThrownBy(() -> source.secrets(OTHER, List.of("TOKEN")))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining("TOKEN");
  }

  @Test
  void refuses_a_file_that_others_can_read_or_write() throws Exception {
    for (String mode : List.of("rw-r-----", "rw-----w-", "rw----r--", "rwx------")) {
      Path file = file("{\"my-shelf\": {\"TOKEN\": \"s3cret\"}}", mode);

      assertThatThrownBy(() -> SecretSource.file(file).secrets(SHELF, List.of("TOKEN")))
          .as(mode)
          .isInstanceOf(RunlaneException.class)
          .hasMessageContaining("0600")
          .hasMessageNotContaining("s3cret");
    }
  }

  @Test
  void tells_nothing_of_a_file_that_is_malformed() throws Exception {
    Path file = file("{\"my-shelf\": {\"TOKEN\": \"s3cret\"", "rw-------");

    assertThatThrownBy(() -> SecretSource.file(file).secrets(SHELF, List.of("TOKEN")))
        .isInstanceOf(RunlaneException.class)
        .hasMessageNotContaining("s3cret")
        .hasNoCause();
  }

  private Path file(String text, String mode) throws Exception {
    Path file = Files.writeString(folder.resolve("secrets.json"), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }
}
