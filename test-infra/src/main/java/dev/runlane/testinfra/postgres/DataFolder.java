package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.Durability;
import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.process.LogTail;
import dev.runlane.testinfra.process.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one server keeps on disk: {@code data} (PostgreSQL's own folder), {@code password}, {@code
 * server.log} of the present start, and {@code lock}.
 */
record DataFolder(Path folder) {
  private static final Logger LOG = LoggerFactory.getLogger(DataFolder.class);
  private static final Duration COPY_TIMEOUT = Duration.ofMinutes(2);
  private static final int PID_LINE = 0;
  private static final int STATUS_LINE = 7;

  Path data() {
    return folder.resolve(PostgresInstallation.DATA);
  }

  Path log() {
    return folder.resolve("server.log");
  }

  Path pidFile() {
    return data().resolve("postmaster.pid");
  }

  String password() throws IOException {
    return Files.readString(folder.resolve(PostgresInstallation.PASSWORD));
  }

  boolean isInitialized() {
    return Files.isDirectory(data());
  }

  /** Copies the fresh data folder here. What is half copied when a process dies is never used. */
  void initialize(PostgresInstallation installation, Durability durability) throws IOException {
    Path password = folder.resolve(PostgresInstallation.PASSWORD);
    Files.deleteIfExists(password);
    FolderTree.createSecret(
        password, Files.readString(installation.template().resolve(PostgresInstallation.PASSWORD)));
    Path copy = folder.resolve("data.new");
    FolderTree.delete(copy);
    PostgresInstallation.createData(installation.account(), copy);
    Path template = installation.template().resolve(PostgresInstallation.DATA);
    require(installation
        .account()
        .run(List.of("cp", "-R", template + "/.", copy.toString()), COPY_TIMEOUT));
    if (durability == Durability.POWER_LOSS) {
      String initdb = installation.program("initdb").toString();
      require(installation
          .account()
          .run(List.of(initdb, "--sync-only", "--pgdata=" + copy), COPY_TIMEOUT));
    }
    Files.move(copy, data());
  }

  private void require(ProgramRun run) {
    if (!run.succeeded()) {
      throw new ServerException("the data folder " + folder + " can't be made: " + run.output());
    }
  }

  /** The pid that the last start left here, of a server that may be long dead. */
  OptionalLong recordedPid() {
    List<String> lines = pidFileLines();
    try {
      return lines.isEmpty()
          ? OptionalLong.empty()
          : OptionalLong.of(Long.parseLong(lines.get(PID_LINE).strip()));
    } catch (NumberFormatException halfWritten) {
      return OptionalLong.empty();
    }
  }

  /** Whether the server with this pid accepts connections; a dead one's file still says ready. */
  boolean isReady(long pid) {
    List<String> lines = pidFileLines();
    return lines.size() > STATUS_LINE
        && lines.get(PID_LINE).strip().equals(String.valueOf(pid))
        && lines.get(STATUS_LINE).startsWith("ready");
  }

  private List<String> pidFileLines() {
    try {
      return Files.readAllLines(pidFile());
    } catch (NoSuchFileException notRunning) {
      return List.of();
    } catch (IOException failure) {
      throw new ServerException(pidFile() + " can't be read: " + failure, failure);
    }
  }

  /**
   * Removes a dead server's pid file whose pid now belongs to some other program: PostgreSQL would
   * take that for the server. Common in containers, where a restart hands out the same pids. Call
   * with the folder's lock held only.
   */
  void forgetReusedPid() throws IOException {
    Optional<String> program = recordedPid().stream()
        .boxed()
        .flatMap(pid -> ProcessHandle.of(pid).stream())
        .flatMap(process -> process.info().command().stream())
        .findFirst();
    if (program.isPresent() && !program.get().endsWith("/postgres")) {
      LOG.warn("{} names {}, which is no server: removing it", pidFile(), program.get());
      Files.deleteIfExists(pidFile());
    }
  }

  /** The end of the present start's log. */
  String logTail() {
    return LogTail.of(log());
  }
}
