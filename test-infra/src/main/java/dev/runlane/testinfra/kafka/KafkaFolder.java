package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.process.LogTail;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What one broker keeps on disk: {@code data} (Kafka's own folder), {@code server.log} of the present
 * start, {@code lock}, and what the broker's process writes for its launcher.
 */
record KafkaFolder(Path folder) {

  Path log() {
    return folder.resolve("server.log");
  }

  String logTail() {
    return LogTail.of(log());
  }

  /** Whether the broker with this pid takes records; a dead one's file may still be there. */
  boolean isReady(long pid) {
    Path file = folder.resolve("ready");
    try {
      return Files.readString(file).equals(String.valueOf(pid));
    } catch (NoSuchFileException notReady) {
      return false;
    } catch (IOException failure) {
      throw new ServerException(file + " can't be read: " + failure, failure);
    }
  }
}
