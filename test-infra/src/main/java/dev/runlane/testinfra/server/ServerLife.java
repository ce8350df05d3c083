package dev.runlane.testinfra.server;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.FolderLock;
import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.process.ChildServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server on its folder and port, over its starts, kills and restarts: one process at a time. Methods may
 * be called from any thread; those that change its state wait for each other.
 */
public final class ServerLife {
  /** Where embedded servers listen. */
  public static final String LOOPBACK = "127.0.0.1";

  private final Path folder;
  private final boolean temporary;
  private final Launcher launcher;
  private int port;
  private @Nullable ChildServer server;
  private @Nullable FolderLock lock;
  private boolean closed;

  /** Starts the server. */
  public interface Launcher {
    /** Returns a server that accepts clients; {@code port} is 0 for any free one. */
    Started launch(int port) throws IOException;
  }

  /** A server that accepts clients on this port. */
  public record Started(ChildServer server, int port) {}

  private ServerLife(Path folder, boolean temporary, Launcher launcher, int port) {
    this.folder = folder;
    this.temporary = temporary;
    this.launcher = launcher;
    this.port = port;
  }

  /**
   * Starts a server.
   *
   * @param temporary whether the folder is deleted with the server, or when it can't be started
   * @param port 0 for any free one
   */
  public static ServerLife begin(Path folder, boolean temporary, int port, Launcher launcher)
      throws IOException {
    ServerLife life = new ServerLife(folder, temporary, launcher, port);
    try {
      life.launch();
    } catch (IOException | RuntimeException failure) {
      if (temporary) {
        FolderTree.delete(folder);
      }
      throw failure;
    }
    return life;
  }

  private void launch() throws IOException {
    if (lock == null) {
      lock = FolderLock.take(folder);
    }
    try {
      Started started = launcher.launch(port);
      server = started.server();
      port = started.port();
    } catch (IOException | RuntimeException failure) {
      unlock();
      throw failure;
    }
  }

  /** The port it listens on; the same for as long as it is not closed. */
  public synchronized int port() {
    return port;
  }

  /**
   * The pid of the server's process.
   *
   * @throws IllegalStateException while it does not run
   */
  public synchronized long pid() {
    ChildServer running = server;
    if (running == null || !running.isAlive()) {
      throw new IllegalStateException("the server does not run");
    }
    return running.pid();
  }

  public synchronized void kill() {
    endWith(ChildServer::kill);
  }

  public synchronized void stop() {
    endWith(ChildServer::stop);
  }

  private void endWith(Consumer<ChildServer> end) {
    ChildServer running = server;
    server = null;
    try {
      if (running != null) {
        end.accept(running);
      }
    } finally {
      if (!temporary) {
        unlock();
      }
    }
  }

  private void unlock() {
    FolderLock held = lock;
    lock = null;
    if (held == null) {
      return;
    }
    try {
      held.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * Starts the server again on the same folder and port, stopping it first if it runs.
   *
   * @throws IllegalStateException after {@link #close()}
   */
  public synchronized void restart() {
    if (closed) {
      throw new IllegalStateException("the server was closed");
    }
    stop();
    try {
      launch();
    } catch (IOException failure) {
      throw new ServerException("the server can't be restarted: " + failure, failure);
    }
  }

  /** Stops the server; a temporary one's folder is deleted, so that nothing is written to it before. */
  public synchronized void close() {
    closed = true;
    try {
      endWith(temporary ? ChildServer::discard : ChildServer::stop);
    } finally {
      if (temporary) {
        deleteFolder();
      }
      unlock();
    }
  }

  private void deleteFolder() {
    try {
      FolderTree.delete(folder);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
