package dev.runlane.testinfra.process;

import dev.runlane.testinfra.ServerException;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The class path of this JVM for its children, with an archive of the classes that one of them loaded: all
 * others map it and start in half the processor time. Folders on the class path become jars, since an
 * archive knows jars alone.
 */
public final class ClassArchive {
  private final Path folder;
  private final Path archive;

  private ClassArchive(Path folder) {
    this.folder = folder;
    archive = folder.resolve("classes.jsa");
  }

  /** Runs one child for the classes that it loads. */
  public interface Training {
    /** Starts {@code java} with these options and returns when it has ended, not by SIGKILL. */
    void run(List<String> options) throws IOException;
  }

  /**
   * The options of a child: the archive, which a JVM that cannot use it does without, and {@code -cp} last. The
   * first caller has the archive made; others who ask meanwhile wait, in this process and in others.
   *
   * @param parent where archives are kept, one for each content of the class path
   */
  public static synchronized List<String> options(Path parent, Training training) {
    List<Path> entries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.isEmpty())
        .map(Path::of)
        .filter(Files::exists)
        .toList();
    try {
      Path folder = parent.toAbsolutePath().resolve("classes-" + fingerprint(entries));
      Files.createDirectories(folder);
      try (FileChannel lock = FileChannel.open(
          folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        lock.lock();
        return new ClassArchive(folder).options(entries, training);
      }
    } catch (IOException failure) {
      throw new ServerException("no classes can be archived in " + parent, failure);
    }
  }

  private List<String> options(List<Path> entries, Training training) throws IOException {
    Path complete = folder.resolve("complete");
    boolean isComplete = Files.exists(complete);
    List<String> jars = new ArrayList<>();
    for (Path entry : entries) {
      jars.add(Files.isDirectory(entry) ? jar(entry, jars.size(), isComplete) : entry.toString());
    }
    List<String> classPath = List.of("-cp", String.join(File.pathSeparator, jars));
    if (!isComplete) {
      training.run(with("-XX:ArchiveClassesAtExit=" + archive, classPath));
      Files.createFile(complete);
    }
    return with("-XX:SharedArchiveFile=" + archive, classPath);
  }

  /** What the JVM itself says, such as that it does without the archive, is kept off its program's standard output. */
  private static List<String> with(String option, List<String> classPath) {
    return Stream.concat(
            Stream.of("-Xlog:disable", "-Xlog:all=warning:stderr", option), classPath.stream())
        .toList();
  }

  private String jar(Path directory, int number, boolean isComplete) throws IOException {
    Path jar = folder.resolve(number + ".jar");
    if (!isComplete) {
      try (ZipOutputStream content = new ZipOutputStream(Files.newOutputStream(jar))) {
        content.setLevel(Deflater.NO_COMPRESSION);
        for (Path file : files(directory)) {
          content.putNextEntry(new ZipEntry(directory.relativize(file).toString()));
          Files.copy(file, content);
        }
      }
    }
    return jar.toString();
  }

  /** Differs when a jar or a file in a folder was written since. */
  private static String fingerprint(List<Path> entries) throws IOException {
    CRC32 checksum = new CRC32();
    for (Path entry : entries) {
      for (Path file : files(entry)) {
        String state = file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file);
        checksum.update(state.getBytes(StandardCharsets.UTF_8));
      }
    }
    return Long.toHexString(checksum.getValue());
  }

  private static List<Path> files(Path entry) throws IOException {
    try (Stream<Path> all = Files.walk(entry)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
