package dev.runlane.testinfra;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** One start of a server, as a child of this process that ends with it. */
final class ServerProcess {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SIGNAL_TIMEOUT = Duration.ofSeconds(10);

  private final DataFolder folder;
  private final Process process;

  private ServerProcess(DataFolder folder, Process process) {
    this.folder = folder;
    this.process = process;
  }

  /** Starts the server and does not wait for it. */
  static ServerProcess spawn(
      PostgresInstallation installation, DataFolder folder, ServerPlan plan, int port)
      throws IOException {
    List<String> command = new ArrayList<>(OwnSession.prefix());
    command.addAll(installation.account().prefix());
    List<String> server =
        new ArrayList<>(List.of(installation.program("postgres").toString()));
    server.addAll(plan.arguments(folder, port));
    command.addAll(Watched.command(
        "INT", folder.pidFile(), plan.isTemporary() ? folder.folder() : null, server));
    ProcessBuilder builder = new ProcessBuilder(command)
        .directory(Path.of("/").toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.log().toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    return new ServerProcess(folder, builder.start());
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until it accepts connections; false if it ended instead. */
  boolean awaitReady(Duration atMost) {
    boolean decided = Poll.until(atMost, () -> !process.isAlive() || isReady());
    if (!decided) {
      throw new ServerException(
          "the server did not get ready within " + atMost + ":\n" + folder.logTail());
    }
    return process.isAlive();
  }

  private boolean isReady() {
    OptionalLong pid = pid();
    return pid.isPresent() && folder.isReady(pid.getAsLong());
  }

  /** The server's pid: the child's own, or that of a descendant where the user was changed by a parent. */
  OptionalLong pid() {
    OptionalLong recorded = folder.recordedPid();
    return recorded.isPresent() && isOurs(recorded.getAsLong()) ? recorded : OptionalLong.empty();
  }

  private boolean isOurs(long pid) {
    return process.pid() == pid
        || process.descendants().anyMatch(descendant -> descendant.pid() == pid);
  }

  /** A fast shutdown: clients are disconnected, data is flushed. Kills what does not end in time. */
  void stop() {
    if (!process.isAlive()) {
      return;
    }
    long target = pid().orElse(process.pid());
    ProgramRun signal = ProgramRun.of(
        List.of("sh", "-c", "kill -INT \"$0\"", String.valueOf(target)), SIGNAL_TIMEOUT);
    if (!awaitEnd(STOP_TIMEOUT)) {
      kill();
      throw new ServerException("the server did not stop within " + STOP_TIMEOUT
          + " and was killed. " + signal.output() + "\n" + folder.logTail());
    }
  }

  /** SIGKILL, the server first so that it can't react to the death of its children. */
  void kill() {
    if (!process.isAlive()) {
      return;
    }
    List<ProcessHandle> all = new ArrayList<>();
    pid().ifPresent(pid -> ProcessHandle.of(pid).ifPresent(all::add));
    all.add(process.toHandle());
    process.descendants().filter(handle -> !all.contains(handle)).forEach(all::add);
    all.forEach(ProcessHandle::destroyForcibly);
    if (!awaitEnd(KILL_TIMEOUT)) {
      throw new ServerException("process " + process.pid() + " did not end within " + KILL_TIMEOUT);
    }
  }

  private boolean awaitEnd(Duration atMost) {
    try {
      return process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ServerException("interrupted while a server ended", interrupted);
    }
  }
}
