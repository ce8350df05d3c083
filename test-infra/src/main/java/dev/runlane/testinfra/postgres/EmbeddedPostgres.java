package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.Durability;
import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.folder.ServerCache;
import dev.runlane.testinfra.folder.TemporaryFolders;
import dev.runlane.testinfra.server.EmbeddedServer;
import dev.runlane.testinfra.server.ServerBuilder;
import dev.runlane.testinfra.server.ServerCertificate;
import dev.runlane.testinfra.server.ServerLife;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
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
public final class EmbeddedPostgres extends EmbeddedServer implements PostgresServer {
  /** Distinguishes its folders from those of other servers. */
  static final String SERVER = "postgres";

  private final PostgresInstallation installation;
  private final PostgresPlan plan;
  private final DataFolder folder;
  private final String password;

  private EmbeddedPostgres(
      PostgresInstallation installation, PostgresPlan plan, DataFolder folder, ServerLife life)
      throws IOException {
    super("embedded PostgreSQL", folder.folder(), life);
    this.installation = installation;
    this.plan = plan;
    this.folder = folder;
    password = folder.password();
  }

  /** Describes a temporary server on a free port, unless configured otherwise. */
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

  static EmbeddedPostgres start(ServerCache cache, ServerAccount account, PostgresPlan plan) {
    PostgresInstallation installation = PostgresInstallation.from(cache, account);
    try {
      return launch(installation, folderFor(plan, account), plan);
    } catch (IOException failure) {
      throw new ServerException("the server can't be started: " + failure, failure);
    }
  }

  private static DataFolder folderFor(PostgresPlan plan, ServerAccount account) throws IOException {
    Path kept = plan.keptFolder();
    if (kept == null) {
      return new DataFolder(TemporaryFolders.create(SERVER, account));
    }
    Files.createDirectories(kept);
    account.requireEnterable(kept);
    return new DataFolder(kept);
  }

  private static EmbeddedPostgres launch(
      PostgresInstallation installation, DataFolder folder, PostgresPlan plan) throws IOException {
    ServerLife life = ServerLife.begin(
        folder.folder(),
        plan.isTemporary(),
        plan.port(),
        port -> launch(installation, folder, plan, port));
    return new EmbeddedPostgres(installation, plan, folder, life);
  }

  private static ServerLife.Started launch(
      PostgresInstallation installation, DataFolder folder, PostgresPlan plan, int port)
      throws IOException {
    if (!folder.isInitialized()) {
      folder.initialize(installation, plan.durability());
    }
    folder.forgetReusedPid();
    PostgresPlan complete = plan.isTls()
        ? plan.with(ServerCertificate.in(folder.folder(), installation.account()))
        : plan;
    PostgresLaunch launch = new PostgresLaunch(installation, folder, complete);
    return port == 0 ? launch.onAnyPort() : launch.onPort(port);
  }

  @Override
  public String user() {
    return PostgresInstallation.SUPERUSER;
  }

  @Override
  public String password() {
    return password;
  }

  /**
   * The certificate that it shows its clients, in PEM, signed by itself for {@code localhost} and 127.0.0.1: there
   * where the setting {@code ssl} is {@code on}.
   */
  public Path certificate() {
    try {
      return ServerCertificate.in(folder.folder(), installation.account()).certificate();
    } catch (IOException unreadable) {
      throw new ServerException("the certificate can't be read: " + unreadable, unreadable);
    }
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
   * Starts a standby on a free port, with a temporary copy of the data that follows what this server commits. It
   * answers queries and refuses changes until it is promoted. From now on commits of this server wait until
   * the standby has them (synchronous replication), so that nothing that was committed is lost with this server;
   * they wait for good when the standby is gone.
   *
   * @throws ServerException if it can't be started, or does not stream within the time for a start
   */
  public EmbeddedPostgres startStandby() {
    try {
      DataFolder copy = new DataFolder(TemporaryFolders.create(SERVER, installation.account()));
      new StandbyFolder(address(user()), folder, installation.account()).copyTo(copy);
      EmbeddedPostgres standby = launch(installation, copy, plan.temporary());
      try {
        Replication.waitForStandby(address(user()), plan.startTimeout());
      } catch (ServerException failure) {
        standby.close();
        throw failure;
      }
      return standby;
    } catch (IOException failure) {
      throw new ServerException("the standby can't be started: " + failure, failure);
    }
  }

  /**
   * Makes a standby a server of its own; returns once it accepts changes.
   *
   * @throws ServerException if it is none, or takes longer than the time for a start
   */
  public void promote() {
    Replication.promote(address(user()), plan.startTimeout());
  }

  /** What to start. A builder may start several servers. */
  public static final class Builder extends ServerBuilder<Builder, EmbeddedPostgres> {
    private static final Pattern SETTING = Pattern.compile("[a-z][a-z0-9_.]*");
    private static final Set<String> OWN_SETTINGS =
        Set.of("port", "data_directory", "external_pid_file");

    private @Nullable Path cacheFolder;
    private @Nullable Durability durability;

    private Builder() {
      super(SETTING, OWN_SETTINGS);
    }

    @Override
    public Builder self() {
      return this;
    }

    /** The default is {@code POWER_LOSS} for kept data and {@code PROCESS_LOSS} for temporary data. */
    public Builder durability(Durability wanted) {
      durability = wanted;
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
    @Override
    public EmbeddedPostgres start() {
      ServerAccount account = ServerAccount.detect();
      ServerCache cache =
          cacheFolder == null ? ServerCache.ofUser(SERVER, account) : ServerCache.in(cacheFolder);
      Durability byKind = dataFolder == null ? Durability.PROCESS_LOSS : Durability.POWER_LOSS;
      PostgresPlan plan = new PostgresPlan(
          dataFolder, port, durability == null ? byKind : durability, startTimeout, settings);
      return EmbeddedPostgres.start(cache, account, plan);
    }
  }
}
