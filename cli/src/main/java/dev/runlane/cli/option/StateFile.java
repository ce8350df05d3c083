package dev.runlane.cli.option;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.runlane.run.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/** Cursors in a file: the old ones or the new ones, never half of them, whenever the machine stops. */
public final class StateFile {
  private static final ObjectMapper JSON = new ObjectMapper();

  private StateFile() {}

  /** Replaces the file; only its owner can read it. */
  public static void write(Path file, Map<String, Json> cursors) throws IOException {
    ObjectNode state = JSON.createObjectNode();
    cursors.forEach((stream, cursor) -> state.putRawValue(stream, new RawValue(cursor.text())));
    Path folder = file.toAbsolutePath().getParent();
    Path written = Files.createTempFile(folder, ".state", ".json"); // mode 0600
    try {
      Files.writeString(written, state + "\n");
      Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(written);
    }
  }
}
