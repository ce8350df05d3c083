package dev.runlane.postgres;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A file of passwords in libpq's format, {@code host:port:database:user:password} in each line, of which the first that
 * fits counts (PostgreSQL's documentation, "The Password File"). It is read for each connection, as libpq does, so that
 * a password may change while processes run. Unlike libpq, files that others may read are read too: platforms that
 * mount secrets mount them so.
 */
final class PasswordFile {
  private static final String PASSFILE = "passfile";
  private static final String ANY = "*";
  private static final int FIELDS = 5;

  private final String path;

  private PasswordFile(String path) {
    this.path = path;
  }

  /** The options, with the password of the file {@code passfile} for each connection where they name one. */
  static PgConnectOptions complete(PgConnectOptions options) {
    Map<String, String> settings = new HashMap<>(options.getProperties());
    String path = settings.remove(PASSFILE);
    if (path == null) {
      return options;
    }
    return new LoginOptions(options.setProperties(settings), new PasswordFile(path)::login);
  }

  private Future<PgConnectOptions> login(Vertx vertx, PgConnectOptions options) {
    return vertx
        .fileSystem()
        .readFile(path)
        .recover(unreadable -> failed("cannot be read"))
        .map(content -> content.toString(StandardCharsets.UTF_8))
        .compose(lines -> password(lines, options)
            .map(password -> Future.succeededFuture(options.setPassword(password)))
            .orElseGet(() -> failed("has no line for this host, port, database and user")));
  }

  private <T> Future<T> failed(String why) {
    return Future.failedFuture(
        new ConnectionFailure("the password file " + path + ' ' + why, null));
  }

  /** The password of the first line that fits. */
  static Optional<String> password(String lines, PgConnectOptions options) {
    List<String> wanted = List.of(
        options.getHost(),
        String.valueOf(options.getPort()),
        options.getDatabase(),
        options.getUser());
    return lines
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(PasswordFile::fields)
        .filter(fields -> fields.size() == FIELDS && fits(fields, wanted))
        .map(fields -> fields.get(FIELDS - 1))
        .findFirst();
  }

  private static boolean fits(List<String> fields, List<String> wanted) {
    for (int place = 0; place < wanted.size(); place++) {
      String field = fields.get(place);
      if (!field.equals(ANY) && !field.equals(wanted.get(place))) {
        return false;
      }
    }
    return true;
  }

  /** Split at colons, of which one behind a backslash is a character like any other, as is a backslash behind one. */
  private static List<String> fields(String line) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    for (int at = 0; at < line.length(); at++) {
      char character = line.charAt(at);
      if (character == '\\' && at + 1 < line.length()) {
        field.append(line.charAt(++at));
      } else if (character == ':' && fields.size() < FIELDS - 1) {
        fields.add(field.toString());
        field.setLength(0);
      } else {
        field.append(character);
      }
    }
    fields.add(field.toString());
    return fields;
  }
}
