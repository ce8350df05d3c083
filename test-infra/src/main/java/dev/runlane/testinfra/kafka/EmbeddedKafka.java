package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.folder.ServerCache;
import dev.runlane.testinfra.folder.TemporaryFolders;
import dev.runlane.testinfra.process.FreePort;
import dev.runlane.testinfra.server.EmbeddedServer;
import dev.runlane.testinfra.server.ServerBuilder;
import dev.runlane.testinfra.server.ServerLife;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker of our own, in a child process of this one: for development, and for drills that kill
 * and restart it. It listens on the loopback interface only, and lets everybody in, but for
 * {@linkplain Builder#listener listeners} that ask who one is.
 *
 * <p>It never outlives this process, however that ends: it then stops by itself, and a temporary one
 * deletes its folder. Methods may be called from any thread; those that change its state wait for each
 * other.
 */
public final class EmbeddedKafka extends EmbeddedServer implements KafkaServer {
  /** Distinguishes its folders from those of other servers. */
  static final String SERVER = "kafka";

  private final KafkaLaunch launch;

  private EmbeddedKafka(KafkaFolder folder, ServerLife life, KafkaLaunch launch) {
    super("embedded Kafka", folder.folder(), life);
    this.launch = launch;
  }

  /** Describes a temporary broker on a free port, unless configured otherwise. */
  public static Builder builder() {
    return new Builder();
  }

  private static EmbeddedKafka start(ServerCache cache, ServerAccount account, KafkaPlan plan) {
    return start(KafkaClasses.options(cache, account), account, plan);
  }

  private static EmbeddedKafka start(List<String> classes, ServerAccount account, KafkaPlan plan) {
    try {
      KafkaFolder folder = folderFor(plan, account);
      KafkaLaunch launch = new KafkaLaunch(classes, folder, plan);
      ServerLife life =
          ServerLife.begin(folder.folder(), plan.isTemporary(), plan.port(), launch::onPort);
      return new EmbeddedKafka(folder, life, launch);
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

  @Override
  public String bootstrapServers() {
    return host() + ":" + port();
  }

  /**
   * What a client of a further listener is given; the same for as long as this is not closed.
   *
   * @throws IllegalArgumentException if there is none of this name
   */
  public String bootstrapServers(String listener) {
    Map<String, KafkaPlan.Listener> listeners = launch.plan().listeners();
    KafkaPlan.Listener found = listeners.get(listener);
    if (found == null) {
      throw new IllegalArgumentException(listener + " is none of " + listeners.keySet());
    }
    return host() + ":" + found.port();
  }

  /**
   * Starts a second broker of this one's cluster, a temporary one that may be killed and restarted: topics may have two
   * replicas then. It has no controller of its own, so this one is to stay up meanwhile, and to be closed later.
   */
  public EmbeddedKafka startSecond() {
    KafkaPlan plan = launch.plan();
    return start(
        launch.classes(),
        ServerAccount.self(),
        new KafkaPlan(
            null, 0, plan.startTimeout(), plan.settings(), Map.of(), launch.controllerPort()));
  }

  /** What to start. A builder may start several brokers. */
  public static final class Builder extends ServerBuilder<Builder, EmbeddedKafka> {
    private static final Pattern SETTING = Pattern.compile("[a-z][a-z0-9._-]*");
    private static final Set<String> OWN_SETTINGS = Set.of(
        "process.roles",
        "node.id",
        "broker.id",
        "listeners",
        "advertised.listeners",
        "listener.security.protocol.map",
        "controller.listener.names",
        "controller.quorum.voters",
        "controller.quorum.bootstrap.servers",
        "log.dir",
        "log.dirs",
        "metadata.log.dir");

    private static final Set<String> OWN_LISTENERS = Set.of("PLAINTEXT", "CONTROLLER");
    private static final Pattern LISTENER = Pattern.compile("[A-Z][A-Z0-9_]*");

    private final Map<String, String> listeners = new TreeMap<>();
    private @Nullable Path cacheFolder;

    private Builder() {
      super(SETTING, OWN_SETTINGS);
    }

    @Override
    public Builder self() {
      return this;
    }

    /**
     * Where the broker's unpacked jars, and an archive of the classes that a start loads, are kept between starts.
     * The default is {@code ~/.cache/runlane/kafka}, without a home a folder below the temp folder.
     */
    public Builder cacheFolder(Path folder) {
      cacheFolder = folder;
      return this;
    }

    /**
     * A further listener, on a free port. Its settings begin with {@code listener.name.} and its name in small letters.
     *
     * @param name in capital letters, and none of {@code PLAINTEXT} and {@code CONTROLLER}
     * @param protocol {@code PLAINTEXT}, {@code SSL}, {@code SASL_PLAINTEXT} or {@code SASL_SSL}
     */
    public Builder listener(String name, String protocol) {
      if (!LISTENER.matcher(name).matches() || OWN_LISTENERS.contains(name)) {
        throw new IllegalArgumentException("a listener cannot be called " + name);
      }
      listeners.put(name, protocol);
      return this;
    }

    /**
     * Starts the broker and returns once it takes records and consumer groups can join.
     *
     * @throws ServerException if it can't be started; the message holds the broker's own words
     */
    @Override
    public EmbeddedKafka start() {
      ServerAccount account = ServerAccount.self();
      ServerCache cache =
          cacheFolder == null ? ServerCache.ofUser(SERVER, account) : ServerCache.in(cacheFolder);
      Map<String, KafkaPlan.Listener> further = new TreeMap<>();
      listeners.forEach((name, protocol) ->
          further.put(name, new KafkaPlan.Listener(protocol, FreePort.findOtherThan(port))));
      return EmbeddedKafka.start(
          cache, account, new KafkaPlan(dataFolder, port, startTimeout, settings, further, null));
    }
  }
}
