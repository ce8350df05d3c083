package dev.runlane.testinfra.kafka;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A broker in the foreground: {@code [--data FOLDER] [--port PORT] [--cache FOLDER]}, as in {@link
 * EmbeddedKafka.Builder}. Prints its address, then where it comes from, and runs until standard input
 * ends.
 */
public final class KafkaMain {

  private KafkaMain() {}

  /** Runs the broker; an unknown option ends the program with an exception. */
  public static void main(String[] arguments) throws IOException {
    EmbeddedKafka.Builder builder = EmbeddedKafka.builder();
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
    try (EmbeddedKafka server = builder.start()) {
      System.out.println(server.bootstrapServers());
      System.out.println(server.origin());
      while (System.in.read() >= 0) {
        // Input means nothing, its end does.
      }
    }
  }
}
