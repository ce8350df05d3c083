package dev.runlane.testinfra.server;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * The parts of {@code scheme://user:password@host:port/database}, decoded.
 *
 * @param host an IPv6 address stands without brackets
 * @param port negative where none is given
 * @param database empty where none is given, as are user and password
 */
public record ServerUri(String host, int port, String database, String user, String password) {

  public static ServerUri of(String host, int port, String database, String user, String password) {
    return new ServerUri(host, port, database, user, password);
  }

  /**
   * Reads an address. Its messages never repeat the password.
   *
   * @param server the name messages use
   * @param schemes those accepted, the usual one first
   */
  public static ServerUri parse(String server, String uri, String... schemes) {
    URI parsed = parseUri(server, uri);
    if (!List.of(schemes).contains(String.valueOf(parsed.getScheme()))) {
      throw new IllegalArgumentException("a " + server + " address starts with " + schemes[0]
          + "://, not with " + parsed.getScheme());
    }
    if (parsed.getHost() == null) {
      throw new IllegalArgumentException("a " + server + " address needs a host: " + schemes[0]
          + "://user:password@host/database");
    }
    if (parsed.getRawQuery() != null || parsed.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "parameters are not supported in a " + server + " address");
    }
    String userInfo = Objects.requireNonNullElse(parsed.getRawUserInfo(), "");
    int colon = userInfo.indexOf(':');
    String path = Objects.requireNonNullElse(parsed.getRawPath(), "");
    return new ServerUri(
        unbracketed(parsed.getHost()),
        parsed.getPort(),
        decode(path.isEmpty() ? "" : path.substring(1)),
        decode(colon < 0 ? userInfo : userInfo.substring(0, colon)),
        colon < 0 ? "" : decode(userInfo.substring(colon + 1)));
  }

  public int portOr(int defaultPort) {
    return port < 0 ? defaultPort : port;
  }

  public String toUri(String scheme) {
    String credentials = password.isEmpty() ? encode(user) : encode(user) + ":" + encode(password);
    String bracketed = host.contains(":") ? "[" + host + "]" : host;
    return scheme + "://" + credentials + "@" + bracketed + ":" + port + "/" + encode(database);
  }

  public static void requireText(String value, String name) {
    if (Objects.requireNonNull(value, name).isEmpty()) {
      throw new IllegalArgumentException(name + " must not be empty");
    }
  }

  public static void requirePort(int port) {
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port must be between 1 and 65535, was " + port);
    }
  }

  private static URI parseUri(String server, String uri) {
    try {
      return new URI(uri);
    } catch (URISyntaxException invalid) {
      // Neither the text nor the cause is passed on: both repeat the password.
      throw new IllegalArgumentException("not a " + server + " address: " + invalid.getReason());
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
}
