package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.process.ChildServer;
import dev.runlane.testinfra.process.OwnSession;
import dev.runlane.testinfra.process.ProgramRun;
import dev.runlane.testinfra.process.Watched;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** One start of a server, as a child of this process that ends with it. */
public final class PostgresProcess extends ChildServer {
  private static final Duration SIGNAL_TIMEOUT = Duration.ofSeconds(10);

  private final DataFolder folder;

  private PostgresProcess(DataFolder folder, Process process) {
    super(process, folder::logTail);
    this.folder = folder;
  }

  /** Starts the server and does not wait for it. */
  static PostgresProcess spawn(
      PostgresInstallation installation, DataFolder folder, PostgresPlan plan, int port)
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
        .redirectOutput(FolderTree.own(folder.log()).toFile()); // it quotes rows
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    return new PostgresProcess(folder, builder.start());
  }

  @Override
  public boolean isReady() {
    OptionalLong pid = recordedPid();
    return pid.isPresent() && folder.isReady(pid.getAsLong());
  }

  /** The server's pid: the child's own, or that of a descendant where the user was changed by a parent. */
  private OptionalLong recordedPid() {
    OptionalLong recorded = folder.recordedPid();
    return recorded.isPresent() && isOurs(recorded.getAsLong()) ? recorded : OptionalLong.empty();
  }

  private boolean isOurs(long pid) {
    return process().pid() == pid
        || process().descendants().anyMatch(descendant -> descendant.pid() == pid);
  }

  @Override
  public long pid() {
    return recordedPid().orElseThrow(() -> new IllegalStateException("the server is ending"));
  }

  /** A fast shutdown. */
  @Override
  public String requestStop() {
    return signal("INT");
  }

  /** An immediate shutdown: unlike a kill it gives shared memory back. */
  @Override
  protected String requestDiscard() {
    return signal("QUIT");
  }

  private String signal(String name) {
    long target = recordedPid().orElse(process().pid());
    return ProgramRun.of(
            List.of("sh", "-c", "kill -\"$1\" \"$0\"", String.valueOf(target), name),
            SIGNAL_TIMEOUT)
        .output();
  }

  /** The server first, so that it can't react to the death of its children. */
  @Override
  public void killAll() {
    List<ProcessHandle> all = new ArrayList<>();
    recordedPid().ifPresent(pid -> ProcessHandle.of(pid).ifPresent(all::add));
    all.add(process().toHandle());
    process().descendants().filter(handle -> !all.contains(handle)).forEach(all::add);
    all.forEach(ProcessHandle::destroyForcibly);
  }
}
