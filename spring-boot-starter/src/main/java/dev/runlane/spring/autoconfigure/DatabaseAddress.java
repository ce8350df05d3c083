package dev.runlane.spring.autoconfigure;

import dev.runlane.postgres.options.PgAddress;
import dev.runlane.run.RunlaneException;
import dev.runlane.spring.RunlaneProperties;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** Where the runs are: as configured, or where the application's own {@code DataSource} leads. */
final class DatabaseAddress {
  private static final String JDBC = "jdbc:";
  private static final Pattern ONE_SERVER =
      Pattern.compile("jdbc:postgresql://[^/,]+/[^?]+(\\?.*)?");
  private static final int POSTGRES = 5432;

  private DatabaseAddress() {}

  static PgConnectOptions of(
      RunlaneProperties properties, @Nullable JdbcConnectionDetails details) {
    if (properties.database() != null) {
      return PgAddress.parse(properties.database());
    }
    if (details == null) {
      throw RunlaneException.configurationInvalid(
          "there is no database: set spring.datasource.url or runlane.database");
    }
    return of(details);
  }

  /**
   * Of the URL's parameters those of TLS count, others are the driver's: who needs them here names the database for
   * Runlane too.
   */
  private static PgConnectOptions of(JdbcConnectionDetails details) {
    String url = details.getJdbcUrl();
    if (!ONE_SERVER.matcher(url).matches()) {
      throw RunlaneException.configurationInvalid(
          "the DataSource is not one Postgres of an address that is understood: set runlane.database");
    }
    URI address = URI.create(url.substring(JDBC.length()));
    PgConnectOptions options = new PgConnectOptions()
        .setHost(address.getHost())
        .setPort(address.getPort() < 0 ? POSTGRES : address.getPort())
        .setDatabase(address.getPath().substring(1));
    if (details.getUsername() != null) {
      options.setUser(details.getUsername());
    }
    if (details.getPassword() != null) {
      options.setPassword(details.getPassword());
    }
    String query = address.getQuery();
    return query == null ? options : withTls(options, query.split("&"));
  }

  /** A client's own certificate is not taken along: the driver wants its key in another format. */
  private static PgConnectOptions withTls(PgConnectOptions options, String[] parameters) {
    Map<String, String> values = new HashMap<>();
    for (String parameter : parameters) {
      int equals = parameter.indexOf('=');
      values.put(
          equals < 0 ? parameter : parameter.substring(0, equals),
          equals < 0 ? "" : parameter.substring(equals + 1));
    }
    if (values.containsKey("sslcert") || values.containsKey("sslkey")) {
      throw RunlaneException.configurationInvalid(
          "the DataSource has a client's certificate: set runlane.database, with one in PEM");
    }
    if (values.containsKey("sslmode")) {
      options.setSslMode(mode(values.get("sslmode")));
    } else if (isTrue(values.get("ssl"))) {
      options.setSslMode(SslMode.VERIFY_FULL);
    }
    if (values.containsKey("sslrootcert")) {
      options.addProperty("sslrootcert", values.get("sslrootcert"));
    }
    return options;
  }

  /** As the driver reads {@code ssl}, which it asks for where there is no {@code sslmode} alone. */
  private static boolean isTrue(@Nullable String ssl) {
    return ssl != null && (ssl.isEmpty() || ssl.equalsIgnoreCase("true"));
  }

  private static SslMode mode(String value) {
    try {
      return SslMode.of(value);
    } catch (IllegalArgumentException unknown) {
      throw RunlaneException.configurationInvalid(
          "sslmode %s of the DataSource is not known", value);
    }
  }
}
