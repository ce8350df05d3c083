package dev.runlane.spring.autoconfigure;

import dev.runlane.postgres.options.PgAddress;
import dev.runlane.postgres.options.PgCredentials;
import dev.runlane.run.RunlaneException;
import dev.runlane.spring.RunlaneProperties;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** Where the runs are: as configured, or where the application's own {@code DataSource} leads. */
final class DatabaseAddress {
  private static final Pattern ADDRESS = Pattern.compile("jdbc:postgresql://"
      + "(?:(?<host>\\[[^\\]/,?]+\\]|[^\\[/,:?]+)(:(?<port>[0-9]{1,5}))?|(?<hosts>[^/,?]+(?:,[^/,?]+)+))"
      + "/(?<database>[^?]+)(\\?(?<parameters>.*))?");
  private static final int POSTGRES = 5432;
  private static final int MOST = 65_535;

  private DatabaseAddress() {}

  static PgConnectOptions of(
      RunlaneProperties properties, @Nullable JdbcConnectionDetails details) {
    if (properties.database() != null) {
      return PgAddress.parse(properties.database());
    }
    if (details == null) {
      throw RunlaneException.configurationInvalid(
          "there is no database: set spring.datasource.url or runlane.database; for a DataSource of the application's"
              + " own, a bean of type JdbcConnectionDetails says where it leads");
    }
    return of(details);
  }

  /**
   * Of the URL's parameters the user, the password and those of TLS count, others are the driver's: who needs them here
   * names the database for Runlane too. The user and the password of the URL go before the others, as for the driver.
   */
  private static PgConnectOptions of(JdbcConnectionDetails details) {
    Matcher address = ADDRESS.matcher(details.getJdbcUrl());
    if (!address.matches()) {
      throw notUnderstood();
    }
    PgConnectOptions options = new PgConnectOptions()
        .setHost(host(address.group("host"), address.group("hosts")))
        .setPort(port(address.group("port")))
        .setDatabase(decoded(address.group("database")));
    Map<String, String> parameters = parameters(address.group("parameters"));
    String user = parameters.getOrDefault("user", details.getUsername());
    if (user != null) {
      options.setUser(user);
    }
    String password = parameters.getOrDefault("password", details.getPassword());
    if (password != null) {
      options.setPassword(password);
    }
    PgConnectOptions complete = withTls(options, parameters);
    return user == null || password == null || parameters.containsKey("password")
        ? complete
        : PgCredentials.forEachConnection(
            complete, () -> current(user, password, parameters, details));
  }

  /** What a bean of the application's answers may change while it runs, as where passwords are rotated. */
  private static Future<PgCredentials> current(
      String user, String password, Map<String, String> parameters, JdbcConnectionDetails details) {
    return Future.succeededFuture(new PgCredentials(
        Objects.requireNonNullElse(parameters.getOrDefault("user", details.getUsername()), user),
        Objects.requireNonNullElse(details.getPassword(), password)));
  }

  /** Of several the one that writes is taken for each connection, whatever the driver was told to prefer. */
  private static String host(@Nullable String host, @Nullable String hosts) {
    if (host == null) {
      return Objects.requireNonNull(hosts);
    }
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static int port(@Nullable String port) {
    int number = port == null ? POSTGRES : Integer.parseInt(port);
    if (number < 1 || number > MOST) {
      throw notUnderstood();
    }
    return number;
  }

  private static Map<String, String> parameters(@Nullable String query) {
    Map<String, String> values = new HashMap<>();
    for (String parameter : query == null ? new String[0] : query.split("&")) {
      int equals = parameter.indexOf('=');
      values.put(
          equals < 0 ? parameter : parameter.substring(0, equals),
          equals < 0 ? "" : decoded(parameter.substring(equals + 1)));
    }
    return values;
  }

  /** As the driver does, for which a plus sign is a space. */
  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) { // its message may have a part of the password
      throw notUnderstood();
    }
  }

  /** Without the URL, which may have a password. */
  private static RunlaneException notUnderstood() {
    return RunlaneException.configurationInvalid(
        "the DataSource is no Postgres of an address that is understood: set runlane.database");
  }

  /** A client's own certificate is not taken along: the driver wants its key in another format. */
  private static PgConnectOptions withTls(PgConnectOptions options, Map<String, String> values) {
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
