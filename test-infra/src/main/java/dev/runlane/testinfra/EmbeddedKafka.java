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
 * A Kafka broker of our own, in a child process of this one: for development, and for drills that kill
 * and restart it. It listens on the loopback interface only, and lets everybody in.
 *
 * <p>It never outlives this process, however that ends: it then stops by itself, and a temporary one
 * deletes its folder. Methods may be called from any thread; those that change its state wait for each
 * other.
 */
public final class EmbeddedKafka implements KafkaServer {
  private static final String SERVER = "kafka";

  private final String classPath;
  private final KafkaPlan plan;
  private final KafkaFolder folder;
  private int port;
  private @Nullable KafkaProcess process;
  private @Nullable FolderLock lock;
  private boolean closed;

  private EmbeddedKafka(String classPath, KafkaPlan plan, KafkaFolder folder) {
    this.classPath = classPath;
    this.plan = plan;
    this.folder = folder;
    this.port = plan.port();
  }

  /** Describes a temporary broker on a free port, until told otherwise. */
  public static Builder builder() {
    return new Builder();
  }

  private static EmbeddedKafka start(ServerCache cache, ServerAccount account, KafkaPlan plan) {
    KafkaBinaries binaries = KafkaBinaries.onClassPath();
    Path unpacked = cache.entry(binaries.key(), account, binaries::unpack);
    try {
      EmbeddedKafka server =
          new EmbeddedKafka(binaries.classPath(unpacked), plan, folderFor(plan, account));
      server.launchOrForget();
      return server;
    } catch (IOException failure) {
      throw new ServerException("the broker can't be started: " + failure, failure);
    }
  }

  private static KafkaFolder folderFor(KafkaPlan plan, ServerAccount account) throws IOException {
    Path kept = plan.keptFolder();
    if (kept == null) {
      return new KafkaFolder(TemporaryFolders.create(SERVER, account));
    }
    return new KafkaFolder(Files.createDirectories(kept));
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
      KafkaLaunch.Started started = new KafkaLaunch(classPath, folder, plan).onPort(port);
      process = started.process();
      port = started.port();
    } catch (IOException | RuntimeException failure) {
      unlock();
      throw failure;
    }
  }

  @Override
  public synchronized String bootstrapServers() {
    return EmbeddedPostgres.LOOPBACK + ":" + port;
  }

  /** The port it listens on; the same for as long as the broker is not closed. */
  public synchronized int port() {
    return port;
  }

  @Override
  public synchronized String origin() {
    return "embedded Kafka on port " + port + ", data in " + folder.folder();
  }

  /** The folder with its data and its {@code server.log}. */
  public Path folder() {
    return folder.folder();
  }

  /**
   * The pid of the broker's process.
   *
   * @throws IllegalStateException while it does not run
   */
  public synchronized long pid() {
    KafkaProcess running = process;
    if (running == null || !running.isAlive()) {
      throw new IllegalStateException("the broker does not run");
    }
    return running.pid();
  }

  /**
   * Ends the broker with SIGKILL, as a crash would. Acknowledged records survive. The port is not
   * reserved until {@link #restart()}, nor is a kept folder.
   */
  public synchronized void kill() {
    endWith(KafkaProcess::kill);
  }

  /** Stops the broker cleanly: clients are disconnected, data is flushed. */
  public synchronized void stop() {
    endWith(KafkaProcess::stop);
  }

  private void endWith(Consumer<KafkaProcess> end) {
    KafkaProcess running = process;
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
   * Starts the broker again on the same folder and port, stopping it first if it runs. After a kill
   * this includes its recovery.
   *
   * @throws IllegalStateException after {@link #close()}
   */
  public synchronized void restart() {
    if (closed) {
      throw new IllegalStateException("the broker was closed");
    }
    stop();
    try {
      launch();
    } catch (IOException failure) {
      throw new ServerException("the broker can't be restarted: " + failure, failure);
    }
  }

  /** Stops the broker; a temporary one's folder is deleted. */
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

  /** What to start. A builder may start several brokers. */
  public static final class Builder {
    /** Time for a start, recovery included = 60 s. */
    public static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(60);

    private static final Pattern SETTING = Pattern.compile("[a-z][a-z0-9._-]*");
    private static final Set<String> OWN_SETTINGS = Set.of(
        "process.roles",
        "node.id",
        "broker.id",
        "listeners",
        "advertised.listeners",
        "controller.listener.names",
        "controller.quorum.voters",
        "controller.quorum.bootstrap.servers",
        "log.dir",
        "log.dirs",
        "metadata.log.dir");

    private final Map<String, String> settings = new TreeMap<>();
    private @Nullable Path dataFolder;
    private @Nullable Path cacheFolder;
    private Duration startTimeout = DEFAULT_START_TIMEOUT;
    private int port;

    private Builder() {}

    /**
     * Keeps the data in this folder, created if missing, and finds it there again in a later start.
     * One broker at a time may use it.
     */
    public Builder dataFolder(Path folder) {
      dataFolder = folder.toAbsolutePath().normalize();
      return this;
    }

    /** Uses a new folder that is deleted with the broker: the default. */
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

    /** A setting of the broker, such as {@code message.max.bytes}; wins over our own. */
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

    /** How long a start may take; a long recovery needs more than the default. */
    public Builder startTimeout(Duration atMost) {
      if (atMost.isNegative() || atMost.isZero()) {
        throw new IllegalArgumentException("startTimeout must be positive, was " + atMost);
      }
      startTimeout = atMost;
      return this;
    }

    /**
     * Where the broker's unpacked jars are kept between starts. The default is {@code
     * ~/.cache/runlane/kafka}, without a home a folder below the temp folder.
     */
    public Builder cacheFolder(Path folder) {
      cacheFolder = folder;
      return this;
    }

    /**
     * Starts the broker and returns once it takes records and consumer groups can join.
     *
     * @throws ServerException if it can't be started; the message holds the broker's own words
     */
    public EmbeddedKafka start() {
      ServerAccount account = ServerAccount.self();
      ServerCache cache =
          cacheFolder == null ? ServerCache.ofUser(SERVER, account) : ServerCache.in(cacheFolder);
      return EmbeddedKafka.start(
          cache, account, new KafkaPlan(dataFolder, port, startTimeout, settings));
    }
  }
}
