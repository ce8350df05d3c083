package dev.runlane.postgres.options;

import dev.runlane.run.RunlaneException;
import io.vertx.pgclient.PgConnectOptions;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a database as text, {@code postgresql://user:password@host:port/database?sslmode=verify-full}, where
 * it comes from a setting: of a program, of a file, of an environment variable.
 */
public final class PgAddress {
  private static final Set<String> OF_LIBPQ = Set.of(
      "sslrootcert", "sslcert", "sslkey", "channel_binding", "passfile", "target_session_attrs");
  private static final Set<String> OF_THE_DRIVER = Set.of(
      "host", "hostaddr", "port", "user", "password", "dbname", "sslmode", "application_name");

  private static final Pattern SEVERAL_HOSTS = Pattern.compile(
      "(?<before>postgres(?:ql)?://(?:[^/?]*@)?)(?<hosts>[^@/?,]*,[^@/?]*)(?<after>(?:[/?].*)?)");

  private PgAddress() {}

  /**
   * Options to connect with. As {@link PgConnectOptions#fromUri}, which passes over what it does not know; here {@code
   * sslrootcert}, {@code sslcert}, {@code sslkey} and {@code passfile} are files, as for libpq (PostgreSQL's
   * documentation, "Parameter Key Words"), the last one read for each connection, and any other parameter fails with
   * {@code ConfigurationInvalid}: a misspelt {@code sslmode} would be a connection in clear text. There may be several
   * hosts, {@code one:5432,other:5432}, of which each connection takes the first that writes, or with {@code
   * target_session_attrs=any} the first at all. Messages never have the address.
   */
  public static PgConnectOptions parse(String address) {
    PgConnectOptions options = parsed(address);
    int query = address.indexOf('?');
    if (query < 0) {
      return options;
    }
    for (String parameter : address.substring(query + 1).split("&", -1)) {
      if (parameter.isEmpty()) { // as where a script puts no parameters behind its question mark
        continue;
      }
      int equals = parameter.indexOf('=');
      String name = equals < 0 ? parameter : parameter.substring(0, equals);
      if (OF_LIBPQ.contains(name) && equals >= 0) {
        options.addProperty(name, decoded(name, parameter.substring(equals + 1)));
      } else if (!OF_THE_DRIVER.contains(name)) {
        throw RunlaneException.configurationInvalid(
            "the address of the database has the parameter %s, which is not known here", name);
      }
    }
    return options;
  }

  /** Without the escapes of addresses, in which a plus sign is itself: it is a space in forms alone. */
  private static String decoded(String name, String value) {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      throw RunlaneException.configurationInvalid(
          "the parameter %s of the database's address has a malformed escape", name);
    }
  }

  /** The client knows no lists of hosts. */
  private static PgConnectOptions parsed(String address) {
    Matcher several = SEVERAL_HOSTS.matcher(address);
    return several.matches()
        ? one(several.group("before") + "host" + several.group("after"))
            .setHost(several.group("hosts"))
        : one(address);
  }

  private static PgConnectOptions one(String address) {
    try {
      return PgConnectOptions.fromUri(address);
    } catch (IllegalArgumentException malformed) { // its message may have the password
      throw RunlaneException.configurationInvalid("this is no address of a PostgreSQL database");
    }
  }
}
