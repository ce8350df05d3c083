package dev.runlane.steps.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Programs of a folder of this module, run by Node with the packages of its lock file. */
final class NodePrograms implements AutoCloseable {
  private static final long INSTALL_SECONDS = 180;

  private final Path folder;
  private final List<Process> started = new ArrayList<>();

  private NodePrograms(Path folder) {
    this.folder = folder;
  }

  /** Copies the folder below {@code target} and installs its packages; leaves the test out without Node. */
  static NodePrograms of(String source) throws IOException, InterruptedException {
    Path copy = Path.of("target", "node", source).toAbsolutePath();
    Files.createDirectories(copy);
    try (Stream<Path> files = Files.list(Path.of(source))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, copy.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    Assumptions.assumeTrue(
        isInstalled(copy), "Node with npm, and the packages that " + source + " locks");
    return new NodePrograms(copy);
  }

  /** Installs what the lock file says, unless that was done before. */
  private static boolean isInstalled(Path folder) throws IOException, InterruptedException {
    Path lock = folder.resolve("package-lock.json");
    Path installed = folder.resolve("installed-lock.json");
    if (Files.exists(installed) && Files.mismatch(lock, installed) < 0) {
      return true;
    }
    if (!run(folder, "npm", "ci", "--legacy-peer-deps", "--no-audit", "--no-fund")) {
      return false;
    }
    Files.copy(lock, installed, StandardCopyOption.REPLACE_EXISTING);
    return true;
  }

  private static boolean run(Path folder, String... command)
      throws IOException, InterruptedException {
    try {
      Process process = new ProcessBuilder(command)
          .directory(folder.toFile())
          .redirectErrorStream(true)
          .redirectOutput(folder.resolve("install.log").toFile())
          .start();
      return process.waitFor(INSTALL_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException absent) {
      return false;
    }
  }

  Process start(String program, Map<String, String> environment) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("node", program)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(log(program, started.size()).toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    started.add(process);
    return process;
  }

  String output(String program, int number) throws IOException {
    return Files.readString(log(program, number));
  }

  private Path log(String program, int number) {
    return folder.resolve(program + "." + number + ".log");
  }

  @Override
  public void close() {
    started.forEach(Process::destroyForcibly);
  }
}
