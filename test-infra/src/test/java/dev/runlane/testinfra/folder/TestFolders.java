package dev.runlane.testinfra.folder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Folders that the server's user can enter, which JUnit's own can't promise. */
public final class TestFolders {

  private TestFolders() {}

  public static Path create() throws IOException {
    Path folder = Files.createTempDirectory(
        ServerCache.shelteredTemp(ServerAccount.detect()), "runlane-test-");
    FolderTree.permit(folder, "rwxr-xr-x");
    return folder;
  }
}
