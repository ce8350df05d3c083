package dev.runlane.postgres;

import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.SqlConnection;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The servers of an address whose host is a list, {@code one,other:5433}, and who logs in there. Of several that one is
 * taken that writes, unless {@code target_session_attrs} is {@code any}, which libpq has as its default (PostgreSQL's
 * documentation, "Specifying Multiple Hosts").
 */
final class PgServers implements Servers<PgConnectOptions> {
  private static final String WANTED = "target_session_attrs";
  private static final String ANY = "any";
  private static final Set<String> WRITING = Set.of("read-write", "primary");
  private static final String READS_ONLY =
      "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean";
  private static final String TUNING = "SET " + PgTuning.OPERATOR_COST + " = " + PgTuning.LITTLE;
  private static final Pattern HOST =
      Pattern.compile("(?:\\[(?<literal>[^\\]]+)\\]|(?<name>[^:]+))(?::(?<port>[0-9]{1,5}))?");
  private static final int HIGHEST_PORT = 65_535;

  private final Vertx vertx;
  private final Function<SqlConnection, Future<Void>> check;

  PgServers(Vertx vertx) {
    this(vertx, made -> Future.succeededFuture());
  }

  /** @param check what else is asked on a connection that was made */
  PgServers(Vertx vertx, Function<SqlConnection, Future<Void>> check) {
    this.vertx = vertx;
    this.check = check;
  }

  /** Throws {@code ConfigurationInvalid} for a list of hosts, or a wish for a server, that is not understood. */
  static PgConnectOptions checked(PgConnectOptions options) {
    String wanted = options.getProperties().get(WANTED);
    if (wanted != null && !wanted.equals(ANY) && !WRITING.contains(wanted)) {
      throw RunlaneException.configurationInvalid(
          "%s is %s, and may be any, read-write or primary: everything here writes",
          WANTED, wanted);
    }
    hosts(options);
    return options;
  }

  @Override
  public List<PgConnectOptions> candidates(PgConnectOptions address) {
    Map<String, String> settings = new HashMap<>(address.getProperties());
    String wanted = settings.remove(WANTED);
    List<PgConnectOptions> hosts = hosts(address);
    boolean tuned = settings.remove(PgTuning.OPERATOR_COST, PgTuning.LITTLE);
    boolean mustWrite = wanted == null ? hosts.size() > 1 : WRITING.contains(wanted);
    hosts.forEach(each -> each.setProperties(new HashMap<>(settings)));
    return hosts.stream()
        .<PgConnectOptions>map(each -> new Candidate(each, mustWrite, tuned))
        .toList();
  }

  @Override
  public Future<PgConnectOptions> login(PgConnectOptions candidate) {
    return candidate instanceof Candidate ours
        ? LoginOptions.current(vertx, ours.address).map(ours::as)
        : LoginOptions.current(vertx, candidate);
  }

  @Override
  public Future<Void> check(PgConnectOptions candidate, SqlConnection made) {
    Future<Void> suitable = candidate instanceof Candidate ours
        ? ours.look(made).compose(writes -> ours.tune(made))
        : Future.succeededFuture();
    return suitable.compose(tuned -> check.apply(made));
  }

  /** Copies, in the order of the address. */
  private static List<PgConnectOptions> hosts(PgConnectOptions address) {
    String host = address.getHost();
    return host.indexOf(',') < 0
        ? List.of(PgTuning.exact(address))
        : Arrays.stream(host.split(",", -1)).map(each -> one(address, each)).toList();
  }

  private static PgConnectOptions one(PgConnectOptions address, String text) {
    Matcher host = HOST.matcher(text);
    int port = host.matches() && host.group("port") != null
        ? Integer.parseInt(host.group("port"))
        : address.getPort();
    if (!host.matches() || port < 1 || port > HIGHEST_PORT) {
      throw RunlaneException.configurationInvalid( // of a malformed address it may be the password
          "one of the hosts of the database is neither host nor host:port");
    }
    String literal = host.group("literal");
    return PgTuning.exact(address)
        .setHost(literal == null ? host.group("name") : literal)
        .setPort(port);
  }

  /** One server, what it must be to be taken, and what is set behind that. */
  private static final class Candidate extends PgConnectOptions {
    private final PgConnectOptions address;
    private final boolean mustWrite;
    private final boolean tuned;

    Candidate(PgConnectOptions address, boolean mustWrite, boolean tuned) {
      super(address);
      setUseLayer7Proxy(address.getUseLayer7Proxy());
      this.address = address;
      this.mustWrite = mustWrite;
      this.tuned = tuned;
    }

    PgConnectOptions as(PgConnectOptions complete) {
      return new Candidate(complete, mustWrite, tuned);
    }

    Future<Void> look(SqlConnection made) {
      return mustWrite
          ? made.query(READS_ONLY)
              .execute()
              .compose(rows -> rows.iterator().next().getBoolean(0)
                  ? Future.failedFuture("it takes no writes")
                  : Future.succeededFuture())
          : Future.succeededFuture();
    }

    /** Not in the first message, in which a pooler refuses every setting that it was not told of. */
    Future<Void> tune(SqlConnection made) {
      return tuned ? made.query(TUNING).execute().mapEmpty() : Future.succeededFuture();
    }
  }
}
