package dev.runlane.testinfra.server;

import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.security.auth.module.UnixSystem;
import dev.runlane.testinfra.Bounds;
import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.kafka.KafkaMain;
import dev.runlane.testinfra.mariadb.MariadbAddress;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresMain;
import dev.runlane.testinfra.process.ProgramRun;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server's program, such as {@link PostgresMain}, in a JVM of its own. */
public final class ServerProgram implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private ServerProgram(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  static ServerProgram start(String... arguments) throws IOException {
    return start(List.of(), System.getProperty("java.class.path"), PostgresMain.class, arguments);
  }

  public static ServerProgram startKafka(String... arguments) throws IOException {
    return start(List.of(), System.getProperty("java.class.path"), KafkaMain.class, arguments);
  }

  /** Its output and its failure are both read from here. */
  public static ServerProgram start(
      List<String> prefix, String classPath, Class<?> main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        classPath,
        main.getName()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command)
        .directory(Path.of("/").toFile())
        .redirectErrorStream(true)
        .start();
    return new ServerProgram(process);
  }

  /** The address it prints once the server runs. */
  PostgresAddress awaitAddress() throws IOException {
    String line = output.readLine();
    if (line == null || !line.startsWith("postgresql://")) {
      throw new AssertionError("no address but: " + line + "\n" + remainingOutput());
    }
    return PostgresAddress.parse(line);
  }

  /** The same of Kafka. */
  public String awaitBootstrapServers() throws IOException {
    String line = output.readLine();
    if (line == null || !line.startsWith("127.0.0.1:")) {
      throw new AssertionError("no address but: " + line + "\n" + remainingOutput());
    }
    return line;
  }

  /** The same of MariaDB. */
  public MariadbAddress awaitMariadbAddress() throws IOException {
    String line = output.readLine();
    if (line == null || !line.startsWith("mysql://")) {
      throw new AssertionError("no address but: " + line + "\n" + remainingOutput());
    }
    return MariadbAddress.parse(line);
  }

  /** The folder it prints after the address. */
  public Path awaitFolder() throws IOException {
    String line = output.readLine();
    return Path.of(line.substring(line.indexOf("data in ") + "data in ".length()));
  }

  String remainingOutput() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      text.append(line).append('\n');
    }
    return text.toString();
  }

  /** Of this user's processes, the command lines with this path in them. */
  public static List<String> processesNaming(Path path) {
    return ProcessHandle.allProcesses()
        .flatMap(process -> process.info().commandLine().stream())
        .filter(line -> line.contains(path.toString()))
        .toList();
  }

  /**
   * Another user and the classes it can read; everything in the folder is its own. Leaves out the test where
   * there can be none.
   */
  public record OrdinaryUser(ServerAccount account, String classPath) {
    public static OrdinaryUser owning(Path folder) throws IOException {
      assumeThat(new UnixSystem().getUid())
          .as("only root can become somebody else")
          .isZero();
      ServerAccount nobody = ServerAccount.detect();
      assumeThat(nobody.owner()).as("a real other user").isNotZero();
      // The build's folders may be closed to others.
      String classPath = copyClassPath(folder.resolve("classes"));
      nobody.own(folder);
      return new OrdinaryUser(nobody, classPath);
    }
  }

  private static String copyClassPath(Path target) throws IOException {
    List<String> copies = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path source = Path.of(entry);
      Path copy = target.resolve(copies.size() + "-" + source.getFileName());
      Files.createDirectories(target);
      if (Files.isDirectory(source) || Files.isRegularFile(source)) {
        ProgramRun copied =
            ProgramRun.of(List.of("cp", "-R", entry, copy.toString()), Bounds.OF_A_WAIT);
        if (!copied.succeeded()) {
          throw new IOException(copied.output());
        }
        copies.add(copy.toString());
      }
    }
    return String.join(File.pathSeparator, copies);
  }

  long pid() {
    return process.pid();
  }

  public void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /** Ends its standard input and waits; the exit code. */
  public int finish() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(Bounds.OF_A_WAIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("the program goes on after its input ended");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
