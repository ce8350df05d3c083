package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.folder.ServerCache;
import dev.runlane.testinfra.folder.TemporaryFolders;
import dev.runlane.testinfra.server.EmbeddedServer;
import dev.runlane.testinfra.server.ServerBuilder;
import dev.runlane.testinfra.server.ServerLife;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
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
public final class EmbeddedKafka extends EmbeddedServer implements KafkaServer {
  /** Distinguishes its folders from those of other servers. */
  static final String SERVER = "kafka";

  private EmbeddedKafka(KafkaFolder folder, ServerLife life) {
    super("embedded Kafka", folder.folder(), life);
  }

  /** Describes a temporary broker on a free port, unless configured otherwise. */
  public static Builder builder() {
    return new Builder();
  }

  private static EmbeddedKafka start(ServerCache cache, ServerAccount account, KafkaPlan plan) {
    List<String> classes = KafkaClasses.options(cache, account);
    try {
      KafkaFolder folder = folderFor(plan, account);
      KafkaLaunch launch = new KafkaLaunch(classes, folder, plan);
      ServerLife life =
          ServerLife.begin(folder.folder(), plan.isTemporary(), plan.port(), launch::onPort);
      return new EmbeddedKafka(folder, life);
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

  /** What to start. A builder may start several brokers. */
  public static final class Builder extends ServerBuilder<Builder, EmbeddedKafka> {
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
     * Starts the broker and returns once it takes records and consumer groups can join.
     *
     * @throws ServerException if it can't be started; the message holds the broker's own words
     */
    @Override
    public EmbeddedKafka start() {
      ServerAccount account = ServerAccount.self();
      ServerCache cache =
          cacheFolder == null ? ServerCache.ofUser(SERVER, account) : ServerCache.in(cacheFolder);
      return EmbeddedKafka.start(
          cache, account, new KafkaPlan(dataFolder, port, startTimeout, settings));
    }
  }
}
