package dev.runlane.testinfra.server;

import java.nio.file.Path;

/**
 * A server of our own, in child processes of this one. Methods may be called from any thread; those that
 * change its state wait for each other.
 */
public abstract class EmbeddedServer implements AutoCloseable {
  private final String name;
  private final Path folder;
  private final ServerLife life;

  /**
   * @param name what it calls itself, as {@code embedded PostgreSQL}
   * @param folder where it keeps everything
   */
  protected EmbeddedServer(String name, Path folder, ServerLife life) {
    this.name = name;
    this.folder = folder;
    this.life = life;
  }

  /** The name or address it listens on. */
  public String host() {
    return ServerLife.LOOPBACK;
  }

  /** The port it listens on; the same for as long as the server is not closed. */
  public int port() {
    return life.port();
  }

  /** Says in a few words where this server comes from, without its password. */
  public String origin() {
    return name + " on port " + life.port() + ", data in " + folder;
  }

  /** The folder with its data and its {@code server.log}. */
  public Path folder() {
    return folder;
  }

  /**
   * The pid of the server's main process.
   *
   * @throws IllegalStateException while it does not run
   */
  public long pid() {
    return life.pid();
  }

  /**
   * Ends the server and all its processes with SIGKILL, as a crash would. What was committed or acknowledged
   * survives. The port is not reserved until {@link #restart()}, nor is a kept folder.
   */
  public void kill() {
    life.kill();
  }

  /** Stops the server cleanly: clients are disconnected, data is flushed. */
  public void stop() {
    life.stop();
  }

  /**
   * Starts the server again on the same folder and port, stopping it first if it runs. After a kill
   * this includes its crash recovery.
   *
   * @throws IllegalStateException after {@link #close()}
   */
  public void restart() {
    life.restart();
  }

  /** Stops the server; a temporary one ends at once, without a flush, and its folder is deleted. */
  @Override
  public void close() {
    life.close();
  }
}
