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
 * A PostgreSQL server of our own, in child processes of this one: for development, and for drills
 * that kill and restart it. It listens on the loopback interface only and asks for a random password.
 *
 * <p>It never outlives this process, however that ends: it then stops by itself, and a temporary one
 * deletes its folder. Methods may be called from any thread; those that change its state wait for
 * each other.
 */
public final class EmbeddedPostgres implements PostgresServer {
  static final String LOOPBACK = "127.0.0.1";

  /** Tells its folders from those of other servers. */
  static final String SERVER = "postgres";

  private final PostgresInstallation installation;
  private final ServerPlan plan;
  private final DataFolder folder;
  private String password = "";
  private int port;
  private @Nullable ServerProcess process;
  private @Nullable FolderLock lock;
  private boolean closed;

  private EmbeddedPostgres(PostgresInstallation installation, ServerPlan plan, DataFolder folder) {
    this.installation = installation;
    this.plan = plan;
    this.folder = folder;
    this.port = plan.port();
  }

  /** Describes a temporary server on a free port, until told otherwise. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Whether a server of this process can keep data below an existing folder. As root it runs as another
   * user, who must be able to enter the folder; for everybody else the answer is always yes.
   */
  public static boolean canKeepDataIn(Path folder) {
    return ServerAccount.detect().mayEnter(folder.toAbsolutePath());
  }

  static EmbeddedPostgres start(ServerCache cache, ServerAccount account, ServerPlan plan) {
    PostgresInstallation installation = PostgresInstallation.from(cache, account);
    try {
      EmbeddedPostgres server = new EmbeddedPostgres(installation, plan, folderFor(plan, account));
      server.launchOrForget();
      return server;
    } catch (IOException failure) {
      throw new ServerException("the server can't be started: " + failure, failure);
    }
  }

  private static DataFolder folderFor(ServerPlan plan, ServerAccount account) throws IOException {
    Path kept = plan.keptFolder();
    if (kept == null) {
      return new DataFolder(TemporaryFolders.create(SERVER, account));
    }
    Files.createDirectories(kept);
    account.requireEnterable(kept);
    return new DataFolder(kept);
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
        folder.initialize(installation, plan.durability());
      }
      password = folder.password();
      folder.forgetReusedPid();
      ServerLaunch launch = new ServerLaunch(installation, folder, plan);
      ServerLaunch.Started started = port == 0 ? launch.onAnyPort() : launch.onPort(port);
      process = started.process();
      port = started.port();
    } catch (IOException | RuntimeException failure) {
      unlock();
      throw failure;
    }
  }

  @Override
  public String host() {
    return LOOPBACK;
  }

  @Override
  public synchronized int port() {
    return port;
  }

  @Override
  public String user() {
    return PostgresInstallation.SUPERUSER;
  }

  @Override
  public synchronized String password() {
    return password;
  }

  @Override
  public synchronized String origin() {
    return "embedded PostgreSQL on port " + port + ", data in " + folder.folder();
  }

  /** The folder with its data and its {@code server.log}. */
  public Path folder() {
    return folder.folder();
  }

  /**
   * The pid of the server's main process.
   *
   * @throws IllegalStateException while it does not run
   */
  public synchronized long pid() {
    ServerProcess running = process;
    if (running == null || !running.isAlive()) {
      throw new IllegalStateException("the server does not run");
    }
    return running.pid().orElseThrow(() -> new IllegalStateException("the server is ending"));
  }

  @Override
  public PostgresAddress createDatabase(String prefix) {
    return PostgresDatabases.create(address(user()), prefix);
  }

  @Override
  public void dropDatabase(String name) {
    PostgresDatabases.drop(address(user()), name);
  }

  /**
   * Ends the server and all its processes with SIGKILL, as a crash would. What was committed
   * survives. The port is not reserved until {@link #restart()}, nor is a kept folder.
   */
  public synchronized void kill() {
    endWith(ServerProcess::kill);
  }

  /** Stops the server at once but cleanly (SIGINT): clients are disconnected, data is flushed. */
  public synchronized void stop() {
    endWith(ServerProcess::stop);
  }

  private void endWith(Consumer<ServerProcess> end) {
    ServerProcess running = process;
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

    private static final Pattern SETTING = Pattern.compile("[a-z][a-z0-9_.]*");

    private final Map<String, String> settings = new TreeMap<>();
    private @Nullable Path dataFolder;
    private @Nullable Path cacheFolder;
    private @Nullable Durability durability;
    private Duration startTimeout = DEFAULT_START_TIMEOUT;
    private int port;

    private Builder() {}

    /**
     * Keeps the data in this folder, created if missing, and finds it there again in a later start.
     * One server at a time may use it. As root the folder must lie where {@code nobody} can enter.
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
     * A setting of postgresql.conf, such as {@code max_connections}; wins over our own. It holds for
     * this server object and is not stored in the data folder.
     */
    public Builder setting(String name, String value) {
      if (!SETTING.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "a setting's name must match " + SETTING + ", was " + name);
      }
      if (Set.of("port", "data_directory", "external_pid_file").contains(name)) {
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
     * Where unpacked programs are kept between starts. The default is {@code
     * ~/.cache/runlane/postgres}, as root a folder below the temp folder.
     */
    public Builder cacheFolder(Path folder) {
      cacheFolder = folder;
      return this;
    }

    /**
     * Starts the server and returns once it accepts connections. The first start on a machine takes
     * seconds (unpacking, initdb), also for those who wait for it in other processes.
     *
     * @throws ServerException if it can't be started; the message holds the server's own words
     */
    public EmbeddedPostgres start() {
      ServerAccount account = ServerAccount.detect();
      ServerCache cache =
          cacheFolder == null ? ServerCache.ofUser(SERVER, account) : ServerCache.in(cacheFolder);
      Durability byKind = dataFolder == null ? Durability.PROCESS_LOSS : Durability.POWER_LOSS;
      ServerPlan plan = new ServerPlan(
          dataFolder, port, durability == null ? byKind : durability, startTimeout, settings);
      return EmbeddedPostgres.start(cache, account, plan);
    }
  }
}
