package dev.runlane.testinfra.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.testinfra.ServerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerCacheTest {
  private final ServerAccount account = ServerAccount.detect();

  @TempDir(factory = TestFolders.class)
  private Path folder;

  private int fills;

  @Test
  void an_entry_is_filled_once() {
    Path first = ServerCache.in(folder).entry("programs", account, this::fill);
    Path second = ServerCache.in(folder).entry("programs", account, this::fill);

    assertThat(first).isEqualTo(second).isDirectoryContaining(file -> file.endsWith("one"));
    assertThat(fills).isEqualTo(1);
  }

  @Test
  void nobody_else_may_read_and_so_hold_what_is_locked() throws IOException {
    Path lock = folder.resolve("lock");
    Files.createFile(lock, FolderTree.permissions("rw-r--r--")); // of a release before

    ServerCache.in(folder).entry("programs", account, this::fill);
    assertThat(mode(lock)).isEqualTo("rw-------");

    Path data = Files.createDirectory(folder.resolve("data"));
    try (FolderLock held = FolderLock.take(data)) {
      assertThat(held).isNotNull();
      assertThat(mode(data.resolve("lock"))).isEqualTo("rw-------");
    }
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void an_entry_that_lost_a_file_is_filled_again() throws IOException {
    Path entry = ServerCache.in(folder).entry("programs", account, this::fill);
    Files.delete(entry.resolve("one"));

    ServerCache.in(folder).entry("programs", account, this::fill);

    assertThat(entry.resolve("one")).exists();
    assertThat(fills).isEqualTo(2);
  }

  @Test
  void an_entry_whose_filling_failed_is_not_there() {
    ServerCache.Filler failing = empty -> {
      fill(empty);
      throw new IOException("disk full");
    };

    assertThatThrownBy(() -> ServerCache.in(folder).entry("programs", account, failing))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("disk full");
    assertThat(folder.resolve("programs")).doesNotExist();
  }

  @Test
  void a_folder_that_others_may_write_is_refused() throws IOException {
    FolderTree.permit(folder, "rwxrwxrwx");

    assertThatThrownBy(() -> ServerCache.in(folder).entry("programs", account, this::fill))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("nobody else may write");
  }

  private void fill(Path empty) throws IOException {
    fills++;
    Files.writeString(empty.resolve("one"), "1");
    Files.writeString(empty.resolve("two"), "2");
  }
}
