package dev.runlane.testinfra;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Where one database is and who may enter it.
 *
 * @param host a name or address; an IPv6 address stands without brackets
 * @param port 1 to 65535
 * @param password empty where the server asks for none
 */
public record PostgresAddress(
    String host, int port, String database, String user, String password) {
  private static final int DEFAULT_PORT = 5432;

  /** Refuses null, an empty host, database or user, and an impossible port. */
  public PostgresAddress {
    requireText(host, "host");
    requireText(database, "database");
    requireText(user, "user");
    Objects.requireNonNull(password, "password");
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port must be between 1 and 65535, was " + port);
    }
  }

  /**
   * Reads {@code postgresql://user:password@host:port/database}, as {@link #toUri()} writes it, or
   * with the scheme {@code postgres}. The port defaults to 5432, the user to {@code postgres}, the
   * database to the user's name.
   *
   * @throws IllegalArgumentException if it is no such URI, or has parameters: they would be ignored.
   *     The message never repeats the password
   */
  public static PostgresAddress parse(String uri) {
    URI parsed = parseUri(uri);
    if (!"postgresql".equals(parsed.getScheme()) && !"postgres".equals(parsed.getScheme())) {
      throw new IllegalArgumentException(
          "a PostgreSQL address starts with postgresql://, not with " + parsed.getScheme());
    }
    if (parsed.getHost() == null) {
      throw new IllegalArgumentException(
          "a PostgreSQL address needs a host: postgresql://user:password@host/database");
    }
    if (parsed.getRawQuery() != null || parsed.getRawFragment() != null) {
      throw new IllegalArgumentException("parameters are not supported in a PostgreSQL address");
    }
    String userInfo = Objects.requireNonNullElse(parsed.getRawUserInfo(), "");
    int colon = userInfo.indexOf(':');
    String user = decode(colon < 0 ? userInfo : userInfo.substring(0, colon));
    String password = colon < 0 ? "" : decode(userInfo.substring(colon + 1));
    String path = Objects.requireNonNullElse(parsed.getRawPath(), "");
    String database = decode(path.isEmpty() ? "" : path.substring(1));
    String effectiveUser = user.isEmpty() ? "postgres" : user;
    return new PostgresAddress(
        unbracketed(parsed.getHost()),
        parsed.getPort() < 0 ? DEFAULT_PORT : parsed.getPort(),
        database.isEmpty() ? effectiveUser : database,
        effectiveUser,
        password);
  }

  /** The address as {@code postgresql://user:password@host:port/database}, password included. */
  public String toUri() {
    String credentials = password.isEmpty() ? encode(user) : encode(user) + ":" + encode(password);
    return "postgresql://" + credentials + "@" + hostAndPort() + "/" + encode(database);
  }

  /** The address without the password, for messages and logs. */
  @Override
  public String toString() {
    return "postgresql://" + encode(user) + "@" + hostAndPort() + "/" + encode(database);
  }

  PostgresAddress withDatabase(String other) {
    return new PostgresAddress(host, port, other, user, password);
  }

  private String hostAndPort() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  private static URI parseUri(String uri) {
    try {
      return new URI(uri);
    } catch (URISyntaxException invalid) {
      // Neither the text nor the cause is passed on: both repeat the password.
      throw new IllegalArgumentException("not a PostgreSQL address: " + invalid.getReason());
    }
  }

  private static String unbracketed(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static void requireText(String value, String name) {
    if (Objects.requireNonNull(value, name).isEmpty()) {
      throw new IllegalArgumentException(name + " must not be empty");
    }
  }
}
