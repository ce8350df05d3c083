package dev.runlane.postgres;

import dev.runlane.run.RunlaneException;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * What an address says of TLS, as libpq understands it (PostgreSQL's documentation, "SSL Support"). vertx-pg-client
 * 5.0.8 reads {@code sslmode} of an address alone, and fails with a null pointer where no options beside the address
 * say whom to trust; what else an address says of TLS it passes over.
 */
final class TlsSettings {
  private static final String ROOT = "sslrootcert";
  private static final String CERTIFICATE = "sslcert";
  private static final String KEY = "sslkey";
  private static final String BINDING = "channel_binding";

  /** The authorities that the JVM trusts, in the place of a file. */
  private static final String SYSTEM = "system";

  private static final String HOST_NAME = "HTTPS";
  private static final String NO_HOST_NAME = "";
  private static final Set<SslMode> VERIFYING = Set.of(SslMode.VERIFY_CA, SslMode.VERIFY_FULL);

  private TlsSettings() {}

  /**
   * TLS options by what is to be verified.
   *
   * @param authority whether the server's certificate must be of an authority that the JVM trusts; else it may be any
   * @param hostName whether it must also name the host
   */
  private static ClientSSLOptions verifying(boolean authority, boolean hostName) {
    ClientSSLOptions options = new ClientSSLOptions()
        .setHostnameVerificationAlgorithm(hostName ? HOST_NAME : NO_HOST_NAME);
    return authority ? options.setTrustOptions(system()) : options.setTrustAll(true);
  }

  /**
   * Completes these options, in place: {@code require} encrypts, {@code verify-ca} and {@code verify-full} trust
   * authorities of the file {@code sslrootcert} or else the JVM's own, {@code sslcert} and {@code sslkey} are PEM files
   * of this client. Options for TLS that the application has set are kept. Throws {@code ConfigurationInvalid} for what
   * cannot be done.
   */
  static PgConnectOptions complete(PgConnectOptions options) {
    Map<String, String> settings = new HashMap<>(options.getProperties());
    String root = settings.remove(ROOT);
    String certificate = settings.remove(CERTIFICATE);
    String key = settings.remove(KEY);
    String binding = settings.remove(BINDING);
    options.setProperties(settings);
    if ("require".equals(binding)) {
      throw RunlaneException.configurationInvalid(
          "channel_binding=require cannot be promised: it is used where client and server can, so leave it out");
    }
    if (options.getSslMode() == SslMode.DISABLE) {
      if (root != null || certificate != null || key != null) {
        throw RunlaneException.configurationInvalid(
            "an address with a certificate needs an sslmode, such as verify-full");
      }
      return options;
    }
    ClientSSLOptions given = options.getSslOptions();
    return options.setSslOptions(
        given != null ? named(given, options) : of(options.getSslMode(), root, certificate, key));
  }

  /** The application's own options: vertx-pg-client wants to be told how a host name is compared. */
  private static ClientSSLOptions named(ClientSSLOptions given, PgConnectOptions options) {
    String algorithm = given.getHostnameVerificationAlgorithm();
    boolean isMissing = algorithm == null || algorithm.isEmpty();
    return options.getSslMode() == SslMode.VERIFY_FULL && isMissing
        ? given.copy().setHostnameVerificationAlgorithm(HOST_NAME)
        : given;
  }

  private static ClientSSLOptions of(
      SslMode mode, @Nullable String root, @Nullable String certificate, @Nullable String key) {
    if (SYSTEM.equals(root) && mode != SslMode.VERIFY_FULL) {
      throw RunlaneException.configurationInvalid(
          "sslrootcert=system needs sslmode=verify-full: anybody may have a certificate of some host");
    }
    ClientSSLOptions options = verifying(VERIFYING.contains(mode), mode == SslMode.VERIFY_FULL);
    if (root != null && !root.equals(SYSTEM)) {
      options
          .setTrustAll(false)
          .setTrustOptions(new PemTrustOptions().addCertPath(readable(ROOT, root)));
    }
    if ((certificate == null) != (key == null)) {
      throw RunlaneException.configurationInvalid("sslcert and sslkey need each other");
    }
    if (certificate != null && key != null) {
      options.setKeyCertOptions(new PemKeyCertOptions()
          .addCertPath(readable(CERTIFICATE, certificate))
          .addKeyPath(readable(KEY, key)));
    }
    return options;
  }

  private static String readable(String what, String file) {
    if (!Files.isReadable(Path.of(file))) {
      throw RunlaneException.configurationInvalid("%s: file %s cannot be read", what, file);
    }
    return file;
  }

  private static TrustOptions system() {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init((KeyStore) null);
      return TrustOptions.wrap(factory.getTrustManagers()[0]);
    } catch (GeneralSecurityException broken) {
      throw RunlaneException.configurationInvalid("the JVM's own authorities cannot be read")
          .causedBy(broken);
    }
  }
}
