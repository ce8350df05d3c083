package dev.runlane.testinfra.folder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryFoldersTest {
  @TempDir(factory = TestFolders.class)
  private Path temp;

  @Test
  void only_old_folders_of_launchers_that_are_gone_are_swept() throws IOException {
    Path leftBehind = folder("runlane-postgres-data-1", Duration.ofHours(2));
    Path young = folder("runlane-postgres-data-2", Duration.ofMinutes(1));
    Path otherKind = folder("runlane-kafka-data-3", Duration.ofHours(2));
    Path foreign = folder("other-3", Duration.ofHours(2));
    Path inUse = folder("runlane-postgres-data-4", Duration.ofHours(2));
    FolderLock lock = FolderLock.take(inUse);
    age(inUse, Duration.ofHours(2));

    TemporaryFolders.sweep(temp, "postgres");
    lock.close();

    assertThat(leftBehind).doesNotExist();
    assertThat(young).isDirectory();
    assertThat(otherKind).isDirectory();
    assertThat(foreign).isDirectory();
    assertThat(inUse).isDirectory();
  }

  @Test
  void a_folder_in_memory_is_taken_where_it_can_be_used() {
    ServerAccount account = ServerAccount.detect();
    Path onDisk = ServerCache.privateTemporaryFolder(account);

    assertThat(TemporaryFolders.parent(temp.toString(), account)).isEqualTo(temp);
    assertThat(TemporaryFolders.parent(null, account)).isEqualTo(onDisk);
    assertThat(TemporaryFolders.parent(temp.resolve("missing").toString(), account))
        .isEqualTo(onDisk);
  }

  private Path folder(String name, Duration age) throws IOException {
    Path folder = Files.createDirectory(temp.resolve(name));
    FolderTree.permit(folder, "rwxr-xr-x");
    Files.writeString(folder.resolve("server.log"), "");
    return age(folder, age);
  }

  private static Path age(Path folder, Duration age) throws IOException {
    return Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minus(age)));
  }
}
