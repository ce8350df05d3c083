package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.postgres.options.PgAddress;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections to a server with TLS, by addresses as libpq reads them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class TlsTest {
  private static final ConnectionBounds BOUNDS =
      ConnectionBounds.of(Duration.ofSeconds(30), Duration.ofSeconds(1));

  private static EmbeddedPostgres server;
  private static Vertx vertx;

  @BeforeAll
  static void start() {
    server = EmbeddedPostgres.builder()
        .setting("ssl", "on")
        .setting("listen_addresses", "127.0.0.1, 127.0.0.2")
        .start();
    vertx = Vertx.vertx();
  }

  @AfterAll
  static void stop() {
    Database.done(vertx.close());
    server.close();
  }

  private static PgConnectOptions address(String parameters) {
    return PgAddress.parse("postgresql://postgres:" + server.password() + "@127.0.0.1:"
        + server.port() + "/postgres" + parameters);
  }

  private static String trusting(String mode) {
    return "?sslmode=" + mode + "&sslrootcert=" + server.certificate();
  }

  /** Whether the connection has TLS, as its server sees it. */
  private static boolean isEncrypted(PgConnectOptions address) {
    PgConnection connection = Database.done(PgConnections.connect(vertx, address, BOUNDS));
    boolean encrypted = Database.done(connection
            .query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            .execute()
            .eventually(connection::close))
        .iterator()
        .next()
        .getBoolean(0);
    return encrypted;
  }

  @ParameterizedTest
  @ValueSource(strings = {"allow", "prefer", "require"})
  void an_address_without_an_authority_is_encrypted_whoever_the_server_is(String mode) {
    assertThat(isEncrypted(address("?sslmode=" + mode))).isEqualTo(!mode.equals("allow"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"require", "verify-ca", "verify-full"})
  void an_address_with_an_authority_trusts_that_alone(String mode) {
    assertThat(isEncrypted(address(trusting(mode)))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"verify-ca", "verify-full"})
  void a_certificate_that_nobody_vouches_for_is_refused(String mode) {
    RunlaneException failure =
        refused(PgConnections.connect(vertx, address("?sslmode=" + mode), BOUNDS));

    assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failure).hasMessageContaining("127.0.0.1:" + server.port());
    assertThat(failure.getMessage()).doesNotContain(server.password());
  }

  @Test
  void only_verify_full_compares_the_name_of_the_host() {
    PgConnectOptions otherName = address(trusting("verify-ca")).setHost("127.0.0.2");
    assertThat(isEncrypted(otherName)).isTrue();

    RunlaneException failure = refused(PgConnections.connect(
        vertx, address(trusting("verify-full")).setHost("127.0.0.2"), BOUNDS));

    assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failure).hasMessageContaining("127.0.0.2");
  }

  @Test
  void parameters_of_an_address_take_nothing_away_that_connections_set_themselves() {
    PgConnectOptions named =
        PgTuning.plain(PgAddress.parse("postgresql://host/db?&application_name=shop"));

    assertThat(named.getProperties())
        .containsAllEntriesOf(
            PgTuning.plain(PgAddress.parse("postgresql://host/db?"))
                .getProperties()
                .entrySet()
                .stream()
                .filter(each -> !each.getKey().equals("application_name"))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)))
        .containsEntry("application_name", "shop")
        .containsEntry("client_encoding", "utf8");
  }

  @Test
  void the_applications_own_options_are_kept() {
    PgConnectOptions own = address("").setSslMode(SslMode.VERIFY_FULL);
    own.setSslOptions(new ClientSSLOptions()
        .setTrustOptions(new PemTrustOptions().addCertPath(server.certificate().toString())));

    assertThat(isEncrypted(own)).isTrue();
    assertThat(isEncrypted(address(""))).isFalse();
  }

  @Test
  void what_cannot_be_done_is_told_before_anything_is_sent() {
    assertThat(malformed("?sslmode=verify-full&sslrootcert=/nowhere/ca.pem"))
        .hasMessageContaining("/nowhere/ca.pem");
    assertThat(malformed("?sslrootcert=" + server.certificate())).hasMessageContaining("sslmode");
    assertThat(malformed("?sslmode=require&sslcert=" + server.certificate()))
        .hasMessageContaining("sslkey");
    assertThat(malformed("?sslmode=require&sslrootcert=system"))
        .hasMessageContaining("verify-full");
    assertThat(malformed("?sslmode=require&channel_binding=require"))
        .hasMessageContaining("channel_binding");
    assertThat(isEncrypted(address("?sslmode=require&channel_binding=prefer"))).isTrue();
  }

  @Test
  void an_address_is_refused_for_what_is_not_known_without_being_quoted() {
    for (String address : List.of(
        "postgresql://me:secret@host/db?ssl_mode=verify-full",
        "postgresql://me:secret@host/db?sslmode=sometimes",
        "postgresql://me:secret@host/db?sslmode=require&sslrootcert=100%",
        "jdbc:postgresql://me:secret@host/db")) {
      RunlaneException failure =
          catchThrowableOfType(RunlaneException.class, () -> PgAddress.parse(address));
      assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
      assertThat(failure.getMessage()).doesNotContain("secret");
    }
    assertThat(PgAddress.parse("postgresql://me:secret@host:1/db?application_name=shop")
            .getPort())
        .isEqualTo(1);
    assertThat(PgAddress.parse("postgresql://host/db?sslmode=require&sslrootcert=/a+b/c%20d.pem")
            .getProperties())
        .containsEntry("sslrootcert", "/a+b/c d.pem");
  }

  @Test
  void a_silent_server_behind_tls_costs_a_deadline_too() {
    TcpLine line = new TcpLine("127.0.0.1", server.port());
    PgConnectOptions over = address("?sslmode=require").setPort(line.port());
    Pool pool = PgConnections.pool(
        vertx,
        PgTuning.tuned(over, Duration.ofSeconds(1), Duration.ofSeconds(5)),
        new PoolOptions().setMaxSize(2),
        ConnectionBounds.of(Duration.ofSeconds(3), Duration.ofMillis(200)));
    Database.inTheEnd(() -> pool.query("SELECT 1").execute());
    line.silence();

    refused(pool.query("SELECT 1").execute());

    line.speak();
    Database.inTheEnd(() -> pool.query("SELECT 1").execute());
    line.silence();
    Database.done(pool.close());
    line.close();
  }

  @Test
  void an_authority_that_is_replaced_in_its_file_is_read_for_the_next_connection(
      @TempDir Path folder) throws Exception {
    Path authority = Files.writeString(folder.resolve("authority.pem"), ofNobodyHere());
    Pool pool = PgConnections.pool(
        vertx,
        PgTuning.plain(address("?sslmode=verify-full&sslrootcert=" + authority)),
        new PoolOptions().setMaxSize(1),
        BOUNDS);
    assertThat(refused(pool.query("SELECT 1").execute()).code())
        .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);

    Files.copy(server.certificate(), authority, StandardCopyOption.REPLACE_EXISTING);

    Database.done(pool.query("SELECT 1").execute());
    Database.done(pool.close());
  }

  /** The certificate of an authority that the JVM knows, and that has nothing to do with this server. */
  private static String ofNobodyHere() throws GeneralSecurityException {
    TrustManagerFactory trusted =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init((KeyStore) null);
    X509Certificate any =
        ((X509TrustManager) trusted.getTrustManagers()[0]).getAcceptedIssuers()[0];
    return "-----BEGIN CERTIFICATE-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(any.getEncoded())
        + "\n-----END CERTIFICATE-----\n";
  }

  private static RunlaneException malformed(String parameters) {
    PgConnectOptions address = address(parameters);
    RunlaneException failure = catchThrowableOfType(
        RunlaneException.class,
        () -> PgTuning.tuned(address, Duration.ofSeconds(1), Duration.ofSeconds(1)));
    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(Database.failure(PgConnections.connect(vertx, address, BOUNDS)))
        .hasMessage(failure.getMessage());
    return failure;
  }

  private static RunlaneException refused(Future<?> future) {
    return (RunlaneException) Database.failure(future.recover(PgFailures.during("connecting")));
  }
}
