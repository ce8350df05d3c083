package dev.runlane.testinfra;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A MariaDB server of our own, the {@code mariadbd} of this machine in a child process of this one: for
 * development, and for drills that kill and restart it. It listens on the loopback interface only and asks
 * for a random password.
 *
 * <p>It never outlives this process, however that ends: it then stops by itself, and a temporary one
 * deletes its folder. Methods may be called from any thread; those that change its state wait for each
 * other.
 */
public final class EmbeddedMariadb implements MariadbServer {
  private static final String SERVER = "mariadb";
  private static final String ADMIN_DATABASE = "mysql";

  private final MariadbInstallation installation;
  private final MariadbPlan plan;
  private final MariadbFolder folder;
  private String password = "";
  private int port;
  private @Nullable MariadbProcess process;
  private @Nullable FolderLock lock;
  private boolean closed;

  private EmbeddedMariadb(
      MariadbInstallation installation, MariadbPlan plan, MariadbFolder folder) {
    this.installation = installation;
    this.plan = plan;
    this.folder = folder;
    this.port = plan.port();
  }

  /** Describes a temporary server on a free port, until told otherwise. */
  public static Builder builder() {
    return new Builder();
  }

  private static EmbeddedMariadb start(MariadbInstallation installation, MariadbPlan plan) {
    try {
      EmbeddedMariadb server = new EmbeddedMariadb(installation, plan, folderFor(plan));
      server.launchOrForget();
      return server;
    } catch (IOException failure) {
      throw new ServerException("the server can't be started: " + failure, failure);
    }
  }

  private static MariadbFolder folderFor(MariadbPlan plan) throws IOException {
    Path kept = plan.keptFolder();
    if (kept == null) {
      return new MariadbFolder(TemporaryFolders.create(SERVER, ServerAccount.self()));
    }
    return new MariadbFolder(Files.createDirectories(kept));
  }

  private void launchOrForget() throws IOException {
    try {
      launch();
    } catch (IOException | RuntimeException failure) {
      if (plan.isTemporary()) {
        FolderTree.delete(folder.folder());
      }
      throw failure;
    }
  }

  private void launch() throws IOException {
    if (lock == null) {
      lock = FolderLock.take(folder.folder());
    }
    try {
      if (!folder.isInitialized()) {
        folder.initialize(installation);
      }
      password = folder.password();
      MariadbLaunch.Started started = new MariadbLaunch(installation, folder, plan).onPort(port);
      process = started.process();
      port = started.port();
    } catch (IOException | RuntimeException failure) {
      unlock();
      throw failure;
    }
  }

  @Override
  public String host() {
    return EmbeddedPostgres.LOOPBACK;
  }

  @Override
  public synchronized int port() {
    return port;
  }

  @Override
  public String user() {
    return MariadbFolder.USER;
  }

  @Override
  public synchronized String password() {
    return password;
  }

  @Override
  public synchronized String origin() {
    return "the machine's MariaDB on port " + port + ", data in " + folder.folder();
  }

  @Override
  public MariadbAddress createDatabase(String prefix) {
    return MariadbDatabases.create(address(ADMIN_DATABASE), prefix);
  }

  @Override
  public void dropDatabase(String name) {
    MariadbDatabases.drop(address(ADMIN_DATABASE), name);
  }

  /** The folder with its data and its {@code server.log}. */
  public Path folder() {
    return folder.folder();
  }

  /**
   * The pid of the server's process.
   *
   * @throws IllegalStateException while it does not run
   */
  public synchronized long pid() {
    MariadbProcess running = process;
    if (running == null || !running.isAlive()) {
      throw new IllegalStateException("the server does not run");
    }
    return running.pid();
  }

  /**
   * Ends the server with SIGKILL, as a crash would. What was committed survives. The port is not
   * reserved until {@link #restart()}, nor is a kept folder.
   */
  public synchronized void kill() {
    endWith(MariadbProcess::kill);
  }

  /** Stops the server cleanly: clients are disconnected, data is flushed. */
  public synchronized void stop() {
    endWith(MariadbProcess::stop);
  }

  private void endWith(Consumer<MariadbProcess> end) {
    MariadbProcess running = process;
    process = null;
    try {
      if (running != null) {
        end.accept(running);
      }
    } finally {
      if (!plan.isTemporary()) {
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
   * Starts the server again on the same folder and port, stopping it first if it runs. After a kill
   * this includes its crash recovery.
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

  /** Stops the server; a temporary one's folder is deleted. */
  @Override
  public synchronized void close() {
    closed = true;
    try {
      stop();
    } finally {
      if (plan.isTemporary()) {
        deleteFolder();
      }
      unlock();
    }
  }

  private void deleteFolder() {
    try {
      FolderTree.delete(folder.folder());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** What to start. A builder may start several servers. */
  public static final class Builder {
    /** Time for a start, crash recovery included = 60 s. */
    public static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(60);

    private static final Pattern SETTING = Pattern.compile("[a-z][a-z0-9_]*");
    private static final Set<String> OWN_SETTINGS =
        Set.of("port", "datadir", "socket", "pid_file", "init_file", "user");

    private final Map<String, String> settings = new TreeMap<>();
    private @Nullable Path dataFolder;
    private @Nullable Durability durability;
    private Duration startTimeout = DEFAULT_START_TIMEOUT;
    private int port;

    private Builder() {}

    /**
     * Keeps the data in this folder, created if missing, and finds it there again in a later start.
     * One server at a time may use it.
     */
    public Builder dataFolder(Path folder) {
      dataFolder = folder.toAbsolutePath().normalize();
      return this;
    }

    /** Uses a new folder that is deleted with the server: the default. */
    public Builder temporary() {
      dataFolder = null;
      return this;
    }

    /** The port to listen on, 0 (the default) for any free one. */
    public Builder port(int wanted) {
      if (wanted < 0 || wanted > 65535) {
        throw new IllegalArgumentException("port must be between 0 and 65535, was " + wanted);
      }
      port = wanted;
      return this;
    }

    /** The default is {@code POWER_LOSS} for kept data and {@code PROCESS_LOSS} for temporary data. */
    public Builder durability(Durability wanted) {
      durability = wanted;
      return this;
    }

    /**
     * A setting of the server, such as {@code max_connections}; wins over our own. It holds for this
     * server object and is not stored in the data folder.
     */
    public Builder setting(String name, String value) {
      if (!SETTING.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "a setting's name must match " + SETTING + ", was " + name);
      }
      if (OWN_SETTINGS.contains(name)) {
        throw new IllegalArgumentException("the setting " + name + " is the launcher's own");
      }
      settings.put(name, value);
      return this;
    }

    /** How long a start may take; a long crash recovery needs more than the default. */
    public Builder startTimeout(Duration atMost) {
      if (atMost.isNegative() || atMost.isZero()) {
        throw new IllegalArgumentException("startTimeout must be positive, was " + atMost);
      }
      startTimeout = atMost;
      return this;
    }

    /**
     * Starts the server and returns once it accepts connections.
     *
     * @throws ServerException if this machine has none, or it can't be started; the message holds the
     *     server's own words
     */
    public EmbeddedMariadb start() {
      MariadbInstallation installation = MariadbInstallation.find()
          .orElseThrow(() ->
              new ServerException("this machine has no mariadbd: install mariadb-server-core"));
      Durability byKind = dataFolder == null ? Durability.PROCESS_LOSS : Durability.POWER_LOSS;
      return EmbeddedMariadb.start(
          installation,
          new MariadbPlan(
              dataFolder, port, durability == null ? byKind : durability, startTimeout, settings));
    }
  }
}
