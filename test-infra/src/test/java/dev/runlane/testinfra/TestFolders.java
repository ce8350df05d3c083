package dev.runlane.testinfra;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Folders that the server's user can enter, which JUnit's own can't promise. */
final class TestFolders {

  private TestFolders() {}

  static Path create() throws IOException {
    Path folder = Files.createTempDirectory(
        ServerCache.shelteredTemp(ServerAccount.detect()), "runlane-test-");
    FolderTree.permit(folder, "rwxr-xr-x");
    return folder;
  }
}
