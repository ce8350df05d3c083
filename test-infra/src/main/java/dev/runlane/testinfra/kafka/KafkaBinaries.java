package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.ServerException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The broker's program as the module kafka-broker brings it: its jars as files inside that module's own
 * jar, so that none of them is on this process's class path.
 *
 * @param main the jar, or the folder of classes, with the broker's main
 * @param jars their names, in the order of the class path
 */
record KafkaBinaries(Path main, List<String> jars) {
  static final String MAIN_CLASS = "dev.runlane.kafkabroker.BrokerMain";

  private static final String RESOURCES = "dev/runlane/kafkabroker/";
  private static final String CLASS_PATH = RESOURCES + "broker.classpath";

  /** The broker's main, unpacked: no archive of classes knows a folder of them, or a jar that is built anew. */
  private static final String MAIN_JAR = "broker.jar";

  KafkaBinaries {
    jars = List.copyOf(jars);
  }

  static KafkaBinaries onClassPath() {
    URL list = resource(CLASS_PATH);
    try (InputStream content = list.openStream()) {
      String line = new String(content.readAllBytes(), StandardCharsets.UTF_8).strip();
      return new KafkaBinaries(holderOf(list), List.of(line.split(":")));
    } catch (IOException | URISyntaxException failure) {
      throw new ServerException(list + " can't be read: " + failure, failure);
    }
  }

  private static URL resource(String name) {
    URL found = KafkaBinaries.class.getClassLoader().getResource(name);
    if (found == null) {
      throw new ServerException("no embedded Kafka on the class path (" + name
          + "): add dev.runlane:runlane-kafka-broker, or set " + KafkaServers.ADDRESS_VARIABLE);
    }
    return found;
  }

  private static Path holderOf(URL list) throws IOException, URISyntaxException {
    if (list.openConnection() instanceof JarURLConnection jar) {
      return Path.of(jar.getJarFileURL().toURI());
    }
    String whole = list.toURI().toString();
    return Path.of(URI.create(whole.substring(0, whole.length() - CLASS_PATH.length())));
  }

  /** Differs from that of every other main and list of jars; a released jar never changes. */
  String key() {
    CRC32 checksum = new CRC32();
    checksum.update(String.join(":", jars).getBytes(StandardCharsets.UTF_8));
    own().forEach((name, content) -> {
      checksum.update(name.getBytes(StandardCharsets.UTF_8));
      checksum.update(content);
    });
    return "broker-" + Long.toHexString(checksum.getValue());
  }

  /** The files of the module itself. */
  private SortedMap<String, byte[]> own() {
    try {
      if (Files.isDirectory(main)) {
        return files(main.resolve(RESOURCES));
      }
      try (FileSystem jar = FileSystems.newFileSystem(main)) {
        return files(jar.getPath(RESOURCES));
      }
    } catch (IOException failure) {
      throw new ServerException(main + " can't be read: " + failure, failure);
    }
  }

  private static SortedMap<String, byte[]> files(Path folder) throws IOException {
    SortedMap<String, byte[]> contents = new TreeMap<>();
    try (Stream<Path> all = Files.list(folder)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        contents.put(RESOURCES + file.getFileName(), Files.readAllBytes(file));
      }
    }
    return contents;
  }

  /** Puts the jars, and one of the main, into an empty folder. */
  void unpack(Path folder) throws IOException {
    for (String jar : jars) {
      Path target = folder.resolve(jar);
      Files.createDirectories(target.getParent());
      try (InputStream content = resource(RESOURCES + jar).openStream()) {
        Files.copy(content, target);
      }
    }
    try (ZipOutputStream jar =
        new ZipOutputStream(Files.newOutputStream(folder.resolve(MAIN_JAR)))) {
      for (Map.Entry<String, byte[]> file : own().entrySet()) {
        jar.putNextEntry(new ZipEntry(file.getKey()));
        jar.write(file.getValue());
      }
    }
  }

  /** The class path to start java with, its jars unpacked in this folder. */
  String classPath(Path unpacked) {
    List<String> entries = new ArrayList<>();
    jars.forEach(jar -> entries.add(unpacked.resolve(jar).toString()));
    entries.add(unpacked.resolve(MAIN_JAR).toString());
    return String.join(File.pathSeparator, entries);
  }
}
