package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.folder.ServerCache;
import dev.runlane.testinfra.folder.TemporaryFolders;
import dev.runlane.testinfra.server.ServerLife;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Where a broker's JVM finds its classes: unpacked jars, and an archive of those that a start loads, both
 * cached. With it a start takes half the processor time; a JVM that cannot use it does without.
 */
final class KafkaClasses {
  private static final String ARCHIVE = "classes.jsa";
  private static final Duration TRAINING_TIMEOUT = Duration.ofMinutes(2);

  private KafkaClasses() {}

  /** The options of java, from the cache, which is filled first where it must be. */
  static List<String> options(ServerCache cache, ServerAccount account) {
    KafkaBinaries binaries = KafkaBinaries.onClassPath();
    Path unpacked = cache.entry(binaries.key(), account, binaries::unpack);
    List<String> classPath = List.of("-cp", binaries.classPath(unpacked));
    Path archived = cache.entry(
        binaries.key() + "-archive-java-" + Runtime.version(),
        account,
        empty -> archive(account, classPath, empty.resolve(ARCHIVE)));
    return with("-XX:SharedArchiveFile=" + archived.resolve(ARCHIVE), classPath);
  }

  /** Starts a broker and stops it again: a JVM that is killed leaves no archive. */
  private static void archive(ServerAccount account, List<String> classPath, Path archive)
      throws IOException {
    KafkaFolder folder = new KafkaFolder(TemporaryFolders.create(EmbeddedKafka.SERVER, account));
    KafkaPlan plan = new KafkaPlan(null, 0, TRAINING_TIMEOUT, Map.of(), Map.of(), null);
    List<String> options = with("-XX:ArchiveClassesAtExit=" + archive, classPath);
    KafkaLaunch launch = new KafkaLaunch(options, folder, plan);
    ServerLife broker =
        ServerLife.begin(folder.folder(), plan.isTemporary(), plan.port(), launch::onPort);
    try {
      broker.stop();
    } finally {
      broker.close();
    }
    if (!Files.exists(archive)) {
      throw new IOException("a broker that was to archive its classes left no " + archive);
    }
  }

  private static List<String> with(String option, List<String> classPath) {
    return Stream.concat(Stream.of(option), classPath.stream()).toList();
  }
}
