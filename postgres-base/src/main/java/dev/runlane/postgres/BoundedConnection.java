package dev.runlane.postgres;

import io.vertx.core.Completable;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.metrics.ClientMetrics;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.sqlclient.ClosedConnectionException;
import io.vertx.sqlclient.DatabaseException;
import io.vertx.sqlclient.internal.Connection;
import io.vertx.sqlclient.internal.command.CommandBase;
import io.vertx.sqlclient.internal.command.PrepareStatementCommand;
import io.vertx.sqlclient.internal.command.QueryCommandBase;
import io.vertx.sqlclient.spi.DatabaseMetadata;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection each of whose commands has a deadline, whoever sends it: the pool for a single statement, a transaction
 * for its beginning, work and end. At a deadline the socket is closed; the pool then forgets the connection, and what
 * was under way on it fails. A connection whose server has said that it is of no more use is closed likewise.
 */
final class BoundedConnection implements Connection {
  private static final Duration FAREWELL = Duration.ofMillis(200);

  private final ContextInternal unowned;
  private final Connection connection;
  private final String server;
  private final ConnectionBounds bounds;
  private final StatementFailures failures;
  private final Runnable otherServer;
  private final Consumer<BoundedConnection> ended;
  private final AtomicInteger atWork = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private final List<Runnable> heldBack = new ArrayList<>();
  private boolean forgotten; // by the pool; guarded by heldBack
  private volatile @Nullable String given;

  /**
   * @param unowned for timers: a context of no verticle, since a deadline must not end with the one that sends a
   *     statement
   * @param connection is given the commands
   * @param server what failures call it
   * @param bounds how long is waited for the server
   * @param failures which answers end the connection
   * @param otherServer notified when the server no longer takes writes, as after a failover
   * @param ended notified once that the connection is over; closes the socket
   */
  BoundedConnection(
      ContextInternal unowned,
      Connection connection,
      String server,
      ConnectionBounds bounds,
      StatementFailures failures,
      Runnable otherServer,
      Consumer<BoundedConnection> ended) {
    this.unowned = unowned;
    this.connection = connection;
    this.server = server;
    this.bounds = bounds;
    this.failures = failures;
    this.otherServer = otherServer;
    this.ended = ended;
  }

  /** Closes the socket, whatever is under way. */
  void cut() {
    if (over.compareAndSet(false, true)) {
      ended.accept(this);
    }
  }

  boolean isIdle() {
    return atWork.get() == 0;
  }

  @Override
  public <R> void schedule(CommandBase<R> command, Completable<R> handler) {
    Duration deadline = bounds.ofStatement(text(command));
    atWork.incrementAndGet();
    long timer = unowned.setTimer(
        Math.max(1, deadline.toMillis()), fired -> giveUp("gave no answer within " + deadline));
    connection.schedule(command, (result, failure) -> {
      unowned.owner().cancelTimer(timer);
      atWork.decrementAndGet();
      if (failure == null) {
        handler.succeed(result);
      } else {
        Throwable told = withReason(failure);
        onceForgotten(() -> handler.fail(told));
      }
    });
  }

  /**
   * Reports a failure that ends the connection only when the pool has forgotten it: whoever learns of the failure and
   * sends the next statement must not be given the same connection.
   */
  private void onceForgotten(Runnable news) {
    synchronized (heldBack) {
      if (over.get() && !forgotten) {
        heldBack.add(news);
        return;
      }
    }
    news.run();
  }

  private void notifyHeldBack() {
    List<Runnable> news;
    synchronized (heldBack) {
      forgotten = true;
      news = List.copyOf(heldBack);
      heldBack.clear();
    }
    news.forEach(Runnable::run);
  }

  private static @Nullable String text(CommandBase<?> command) {
    if (command instanceof QueryCommandBase<?> query) {
      return query.sql();
    }
    return command instanceof PrepareStatementCommand prepare ? prepare.sql() : null;
  }

  private void giveUp(String reason) {
    given = reason;
    cut();
  }

  private Throwable withReason(Throwable failure) {
    String reason = given;
    if (reason != null) {
      return new ConnectionFailure(server + ' ' + reason + "; the connection was closed", failure);
    }
    if (failure instanceof DatabaseException) {
      if (failures.endsConnection(failure)) {
        cut();
      }
      if (failures.isReadOnly(failure)) {
        otherServer.run();
      }
      return failure;
    }
    if (failure instanceof ClosedConnectionException || !connection.isValid()) {
      cut();
      return new ConnectionFailure(
          "the connection to " + server + " was lost: " + ConnectionFailure.describe(failure),
          failure);
    }
    return failure;
  }

  /**
   * Politely, which is behind what is under way, and after a while not. Where nothing is under way the farewell is sent
   * at once, and nobody needs to hear the server's.
   */
  @Override
  public void close(Holder holder, Completable<Void> closed) {
    Duration longest =
        isIdle() ? Collections.min(List.of(bounds.closing(), FAREWELL)) : bounds.closing();
    long timer = unowned.setTimer(
        Math.max(1, longest.toMillis()),
        fired -> giveUp("had not answered when its connection was closed"));
    connection.close(holder, (done, failure) -> {
      unowned.owner().cancelTimer(timer);
      cut();
      closed.complete(null, failure);
    });
  }

  @Override
  public void init(Holder holder) {
    connection.init(new Holder() {
      @Override
      public void handleEvent(Object event) {
        holder.handleEvent(event);
      }

      @Override
      public void handleClosed() {
        cut();
        holder.handleClosed();
        notifyHeldBack();
      }

      @Override
      public void handleException(Throwable failure) {
        holder.handleException(failure);
      }
    });
  }

  @Override
  public boolean isIndeterminatePreparedStatementError(Throwable failure) {
    return connection.isIndeterminatePreparedStatementError(failure);
  }

  @Override
  public TracingPolicy tracingPolicy() {
    return connection.tracingPolicy();
  }

  @Override
  public SocketAddress server() {
    return connection.server();
  }

  @Override
  public String system() {
    return connection.system();
  }

  @Override
  public String database() {
    return connection.database();
  }

  @Override
  public String user() {
    return connection.user();
  }

  @Override
  public ClientMetrics<?, ?, ?> metrics() {
    return connection.metrics();
  }

  @Override
  public boolean isSsl() {
    return connection.isSsl();
  }

  @Override
  public boolean isValid() {
    return !over.get() && connection.isValid();
  }

  @Override
  public int pipeliningLimit() {
    return connection.pipeliningLimit();
  }

  @Override
  public DatabaseMetadata getDatabaseMetaData() {
    return connection.getDatabaseMetaData();
  }

  @Override
  public int getProcessId() {
    return connection.getProcessId();
  }

  @Override
  public int getSecretKey() {
    return connection.getSecretKey();
  }

  @Override
  public Connection unwrap() {
    return connection.unwrap();
  }
}
