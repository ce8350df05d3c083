package dev.runlane.testinfra.mariadb;

import com.sun.security.auth.module.UnixSystem;
import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.process.LogTail;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What one MariaDB or MySQL keeps on disk: {@code data} (its own folder), {@code password}, {@code init.sql} that
 * makes the user of that password at each start, {@code server.log} of the present start, and {@code lock}.
 */
record MariadbFolder(Path folder) {
  static final String USER = "runlane";

  /** Below the folder of data. */
  static final String PID_FILE = "mariadbd.pid";

  private static final int PASSWORD_BITS = 130;
  private static final long BOOTSTRAP_SECONDS = 120;

  Path data() {
    return folder.resolve("data");
  }

  Path log() {
    return folder.resolve("server.log");
  }

  Path init() {
    return folder.resolve("init.sql");
  }

  Path pidFile() {
    return data().resolve(PID_FILE);
  }

  private Path passwordFile() {
    return folder.resolve("password");
  }

  String password() throws IOException {
    return Files.readString(passwordFile());
  }

  String logTail() {
    return LogTail.of(log());
  }

  boolean isInitialized() {
    return Files.isDirectory(data());
  }

  /** What every start of the server on a folder of data begins with. */
  List<String> arguments(Path data) {
    List<String> arguments = new ArrayList<>(List.of("--no-defaults", "--datadir=" + data));
    if (new UnixSystem().getUid() == 0) {
      arguments.add("--user=root"); // it refuses to be root unless told to
    }
    return arguments;
  }

  /** Fills a new folder of data. What is half filled when a process dies is never used. */
  void initialize(MariadbInstallation installation) throws IOException {
    String password =
        new BigInteger(PASSWORD_BITS, new SecureRandom()).toString(Character.MAX_RADIX);
    Files.deleteIfExists(passwordFile());
    FolderTree.createSecret(passwordFile(), password);
    Files.deleteIfExists(init());
    FolderTree.createSecret(init(), """
        CREATE USER IF NOT EXISTS '%1$s'@'%%' IDENTIFIED BY '%2$s';
        GRANT ALL PRIVILEGES ON *.* TO '%1$s'@'%%' WITH GRANT OPTION;
        """.formatted(USER, password));
    Path fresh = folder.resolve("data.new");
    FolderTree.delete(fresh);
    Files.createDirectory(fresh, FolderTree.permissions("rwx------"));
    bootstrap(installation, fresh);
    Files.move(fresh, data());
  }

  /** Its root is whoever comes through the socket as this machine's root; nobody comes so. */
  private void bootstrap(MariadbInstallation installation, Path fresh) throws IOException {
    List<String> command = new ArrayList<>(List.of(installation.program().toString()));
    command.addAll(arguments(fresh));
    command.addAll(installation.arguments());
    command.add(installation.initializesItself() ? "--initialize-insecure" : "--bootstrap");
    Process server = new ProcessBuilder(command)
        .directory(Path.of("/").toFile())
        .redirectErrorStream(true)
        .redirectOutput(FolderTree.own(log()).toFile())
        .start();
    try (OutputStream statements = server.getOutputStream()) {
      if (!installation.initializesItself()) {
        fill(statements, installation.systemTables());
      }
    } catch (IOException endedEarly) {
      awaitEnd(server);
      throw new ServerException("no data folder could be made:\n" + logTail(), endedEarly);
    }
    if (awaitEnd(server) != 0) {
      throw new ServerException("no data folder could be made:\n" + logTail());
    }
  }

  private static void fill(OutputStream statements, List<Path> systemTables) throws IOException {
    statements.write("CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = 'root';\n"
        .getBytes(StandardCharsets.UTF_8));
    for (Path file : systemTables) {
      Files.copy(file, statements);
    }
  }

  private int awaitEnd(Process server) {
    try {
      if (!server.waitFor(BOOTSTRAP_SECONDS, TimeUnit.SECONDS)) {
        server.destroyForcibly();
        throw new ServerException(
            "no data folder was made within " + BOOTSTRAP_SECONDS + " s:\n" + logTail());
      }
      return server.exitValue();
    } catch (InterruptedException interrupted) {
      server.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new ServerException("interrupted while a data folder was made", interrupted);
    }
  }
}
