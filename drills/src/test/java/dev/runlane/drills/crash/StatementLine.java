package dev.runlane.drills.crash;

import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.Database;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The way of one program to Postgres, which is cut for good around the {@code nth} statement that changes something.
 * To Postgres that is the death of the program: all its connections end at once, what it has sent before is carried
 * out, and nobody hears an answer. Works on a thread of its own.
 */
public final class StatementLine {
  private static final Pattern CHANGE =
      Pattern.compile("\\b(INSERT INTO|DELETE FROM|UPDATE \\w+\\.\\w+|COMMIT)\\b");

  private static final String SESSIONS =
      "SELECT count(*) FROM pg_stat_activity WHERE client_port IN (%s)";
  private static final Duration BOUND = Duration.ofMinutes(2);

  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1));
  private final PgConnectOptions target;
  private final int nth;
  private final CrashPoint.When when;
  private final Promise<Void> cut = Promise.promise();
  private final NetClient client; // one that nobody holds any more is closed with its sockets
  private final List<NetSocket> sockets = new ArrayList<>();
  private final Set<Integer> ports = ConcurrentHashMap.newKeySet(); // as Postgres sees them
  private final List<String> statements = new ArrayList<>();
  private NetServer server;
  private int port;
  private boolean counts;

  private StatementLine(PgConnectOptions target, int nth, CrashPoint.When when) {
    this.target = target;
    this.nth = nth;
    this.when = when;
    client = vertx.createNetClient();
  }

  /** A line that is cut there. */
  public static StatementLine open(PgConnectOptions target, int nth, CrashPoint.When when) {
    StatementLine line = new StatementLine(target, nth, when);
    line.server = line.vertx.createNetServer().connectHandler(line::connect);
    line.port = Await.result(line.server.listen(0, "127.0.0.1")).actualPort();
    return line;
  }

  /** A line that is never cut. */
  public static StatementLine open(PgConnectOptions target) {
    return open(target, Integer.MAX_VALUE, CrashPoint.When.BEFORE);
  }

  /** How to reach Postgres over this line. */
  public PgConnectOptions options() {
    return new PgConnectOptions(target).setHost("127.0.0.1").setPort(port);
  }

  /** Begins to count. */
  public void arm() {
    vertx.runOnContext(run -> counts = true);
  }

  /** Completes when the line is cut. */
  public Future<Void> cut() {
    return cut.future();
  }

  /** The statements so far that change something, the last one not carried out perhaps. */
  public List<String> statements() {
    Promise<List<String>> answer = Promise.promise();
    vertx.runOnContext(run -> answer.complete(List.copyOf(statements)));
    return Await.result(answer.future());
  }

  /**
   * Waits until Postgres has carried out what it was sent, and has ended the sessions. Once the program is dead: what a
   * look shows before may be changed by what the dead one has sent.
   */
  public void awaitEnd(Database database) {
    String all = ports.stream().map(String::valueOf).collect(Collectors.joining(","));
    Await.until(
        "Postgres has ended all sessions of the dead",
        BOUND,
        () -> all.isEmpty() || database.number(SESSIONS.formatted(all)) == 0);
  }

  public void close() {
    Await.result(vertx.close());
  }

  private void connect(NetSocket near) {
    near.pause();
    client.connect(target.getPort(), target.getHost()).onComplete(connected -> {
      if (connected.failed() || cut.future().isComplete()) {
        near.close();
        return;
      }
      NetSocket far = connected.result();
      sockets.add(near);
      sockets.add(far);
      ports.add(far.localAddress().port());
      near.closeHandler(closed -> far.close());
      far.closeHandler(closed -> near.close());
      Conversation talk = new Conversation(near, far);
      PostgresMessages asked = new PostgresMessages(true, talk::asked);
      PostgresMessages answered = new PostgresMessages(false, talk::answered);
      near.handler(asked::add);
      far.handler(answered::add);
      near.resume();
    });
  }

  private void cutNow() {
    if (cut.tryComplete()) {
      server.close();
      sockets.forEach(NetSocket::close);
    }
  }

  /** One connection. */
  private final class Conversation {
    private final NetSocket near;
    private final NetSocket far;
    private int asks; // each is answered by one "ready"
    private int readies = -1; // the first one ends the login
    private boolean last; // the statement was sent after which the line is cut
    private int lastAsk;

    Conversation(NetSocket near, NetSocket far) {
      this.near = near;
      this.far = far;
    }

    private void asked(PostgresMessages.Message message) {
      if (cut.future().isComplete()) {
        return;
      }
      if (counts
          && message.statement() != null
          && CHANGE.matcher(message.statement()).find()) {
        statements.add(message.statement());
        if (statements.size() == nth && when == CrashPoint.When.BEFORE) {
          cutNow();
          return;
        }
        last |= statements.size() == nth;
      }
      if (message.asksForAnswer()) {
        asks++;
        if (last && lastAsk == 0) {
          lastAsk = asks;
        }
      }
      far.write(message.bytes());
    }

    private void answered(PostgresMessages.Message message) {
      readies += message.isReady() ? 1 : 0;
      if (lastAsk > 0 && readies >= lastAsk) {
        cutNow();
      } else if (!last) {
        near.write(message.bytes());
      }
    }
  }
}
