package dev.runlane.testinfra.mariadb;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.process.ChildServer;
import dev.runlane.testinfra.process.OwnSession;
import dev.runlane.testinfra.process.Watched;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/**
 * One start of MariaDB, as a child of this process that ends with it. It is signalled through its handle:
 * {@link Process#destroy} would close the pipe too, and the watcher take that for the end of this process.
 */
public final class MariadbProcess extends ChildServer {
  private static final String READY = ": ready for connections.";

  private final MariadbFolder folder;

  private MariadbProcess(MariadbFolder folder, Process process) {
    super(process, folder::logTail);
    this.folder = folder;
  }

  /** Starts the server and does not wait for it. */
  static MariadbProcess spawn(
      MariadbInstallation installation, MariadbFolder folder, MariadbPlan plan, int port)
      throws IOException {
    List<String> server = new ArrayList<>(List.of(installation.program().toString()));
    server.addAll(plan.arguments(folder, port));
    server.addAll(installation.arguments());
    List<String> command = new ArrayList<>(OwnSession.prefix());
    command.addAll(Watched.command(
        "TERM", folder.pidFile(), plan.isTemporary() ? folder.folder() : null, server));
    return new MariadbProcess(folder, begin(command, folder.log()));
  }

  @Override
  public boolean isReady() {
    try {
      return Files.readString(folder.log()).contains(READY);
    } catch (IOException failure) {
      throw new ServerException(folder.log() + " can't be read: " + failure, failure);
    }
  }

  @Override
  public String requestStop() {
    process().toHandle().destroy();
    return "";
  }
}
