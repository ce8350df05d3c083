package dev.runlane.testinfra.folder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Folders that the server's user can enter, which JUnit's own can't promise. */
public final class TestFolders implements TempDirFactory {
  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test)
      throws IOException {
    Path folder = Files.createTempDirectory(
        ServerCache.privateTemporaryFolder(ServerAccount.detect()), "runlane-test-");
    FolderTree.permit(folder, "rwxr-xr-x");
    return folder;
  }
}
