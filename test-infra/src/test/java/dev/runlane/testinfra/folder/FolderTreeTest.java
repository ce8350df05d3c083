package dev.runlane.testinfra.folder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FolderTreeTest {
  @TempDir
  private Path folder;

  @Test
  void a_file_of_ours_is_its_owners_alone_whether_it_was_there_or_not() throws IOException {
    Path known = Files.writeString(folder.resolve("known"), "kept");
    FolderTree.permit(known, "rw-r--r--");

    assertThat(permissions(FolderTree.own(known))).isEqualTo("rw-------");
    assertThat(permissions(FolderTree.own(folder.resolve("new")))).isEqualTo("rw-------");
    assertThat(known).content().isEqualTo("kept");
  }

  @Test
  void what_a_link_leads_to_stays_as_it_is() throws IOException {
    Path shared = Files.writeString(folder.resolve("shared"), "log of all");
    FolderTree.permit(shared, "rw-rw-r--");
    Path link = Files.createSymbolicLink(folder.resolve("server.log"), shared);

    assertThat(FolderTree.own(link)).isEqualTo(link);

    assertThat(permissions(shared)).isEqualTo("rw-rw-r--");
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}
