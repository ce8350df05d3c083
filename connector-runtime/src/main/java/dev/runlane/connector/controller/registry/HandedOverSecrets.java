package dev.runlane.connector.controller.registry;

import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Secrets from a pipe that a launcher left open. */
final class HandedOverSecrets {
  private static final String PIPE = "RUNLANE_SECRETS";
  private static final int MOST_BYTES = 1 << 20;

  private HandedOverSecrets() {}

  static SecretSource read(Map<String, String> environment) {
    String pipe = environment.get(PIPE);
    return SecretSource.environment(pipe == null ? Map.of() : variables(Path.of(pipe)));
  }

  private static Map<String, String> variables(Path pipe) {
    Map<String, String> variables = new HashMap<>();
    for (String entry : text(pipe).split("\0", -1)) {
      int sign = entry.indexOf('=');
      if (entry.startsWith(EnvironmentSecrets.PREFIX) && sign > 0) {
        variables.put(entry.substring(0, sign), entry.substring(sign + 1));
      }
    }
    return variables;
  }

  /** A file is not taken for it: it would stay where others find it. */
  private static String text(Path pipe) {
    try (InputStream input = Files.newInputStream(pipe)) {
      if (Files.isRegularFile(pipe)) {
        throw RunlaneException.configurationInvalid("%s is %s, which is no pipe", PIPE, pipe);
      }
      byte[] bytes = input.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw RunlaneException.configurationInvalid(
            "%s holds more than %d bytes", PIPE, MOST_BYTES);
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw RunlaneException.configurationInvalid("%s cannot be read at %s", PIPE, pipe);
    }
  }
}
