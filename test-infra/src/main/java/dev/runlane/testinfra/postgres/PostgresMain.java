package dev.runlane.testinfra.postgres;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A server in the foreground: {@code [--data FOLDER] [--port PORT] [--cache FOLDER]}, as in {@link
 * EmbeddedPostgres.Builder}. Prints its address, with the password, then where it comes from, and
 * runs until standard input ends.
 */
public final class PostgresMain {

  private PostgresMain() {}

  /** Runs the server; an unknown option ends the program with an exception. */
  public static void main(String[] arguments) throws IOException {
    EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
    for (int i = 0; i < arguments.length; i += 2) {
      if (i + 1 == arguments.length) {
        throw new IllegalArgumentException(arguments[i] + " needs a value");
      }
      switch (arguments[i]) {
        case "--data" -> builder.dataFolder(Path.of(arguments[i + 1]));
        case "--cache" -> builder.cacheFolder(Path.of(arguments[i + 1]));
        case "--port" -> builder.port(Integer.parseInt(arguments[i + 1]));
        default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
      }
    }
    try (EmbeddedPostgres server = builder.start()) {
      System.out.println(server.address(server.user()).toUri());
      System.out.println(server.origin());
      while (System.in.read() >= 0) {
        // Input means nothing, its end does.
      }
    }
  }
}
