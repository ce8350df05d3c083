package dev.runlane.testinfra.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.folder.ServerAccount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ServerCertificateTest {
  @TempDir
  private Path folder;

  @Test
  void the_key_is_in_one_file_that_its_owner_alone_reads() throws IOException {
    ServerCertificate made = ServerCertificate.in(folder, ServerAccount.self());

    assertThat(folder)
        .isDirectoryContaining(made.key()::equals)
        .isDirectoryContaining(made.certificate()::equals)
        .isDirectoryNotContaining("glob:**.p12");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made.key())))
        .isEqualTo("rw-------");
    assertThat(made.certificate()).content().startsWith("-----BEGIN CERTIFICATE-----");
  }

  @Test
  void a_second_file_with_the_key_that_was_left_before_is_deleted() throws IOException {
    ServerCertificate made = ServerCertificate.in(folder, ServerAccount.self());
    Files.writeString(folder.resolve("server.p12"), "a key");

    assertThat(ServerCertificate.in(folder, ServerAccount.self())).isEqualTo(made);

    assertThat(folder).isDirectoryNotContaining("glob:**.p12");
  }
}
