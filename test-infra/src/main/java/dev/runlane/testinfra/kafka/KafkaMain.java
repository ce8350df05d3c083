package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.server.ForegroundServer;
import java.io.IOException;

/**
 * A broker in the foreground, with the options of {@link ForegroundServer} and their meaning in {@link
 * EmbeddedKafka.Builder}.
 */
public final class KafkaMain {
  private KafkaMain() {}

  /** Runs the server until standard input ends; an unknown option ends the program with an exception. */
  public static void main(String[] arguments) throws IOException {
    EmbeddedKafka.Builder builder = EmbeddedKafka.builder();
    ForegroundServer.run(arguments, builder, builder::cacheFolder, EmbeddedKafka::bootstrapServers);
  }
}
