package dev.runlane.storage.pg.row;

import dev.runlane.postgres.ContentionRetry;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.QueuePolicy;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FutureLoop;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Whether queues are bounded, as this process was told last. The limit itself is a parameter of each
 * command, so that two versions of a deployment each keep their own; but a run's row says whether it is
 * counted in a partition, so rows written under the other policy are rewritten when a queue is first seen
 * with a policy, and looked for again every {@value #SECONDS_BETWEEN_CHECKS} s. What was heard last stands in a
 * table too, for creations that do not name a policy; one that began before that was written, and is committed after
 * the rows were rewritten, is found by the claims and looks that meet it.
 */
public final class QueueBindings {
  private static final int SECONDS_BETWEEN_CHECKS = 10;
  private static final int ROWS_AT_ONCE = 500;
  private static final Duration AFTER_CONTENTION = Duration.ofSeconds(1);

  private static final Parameters<QueuePolicy> SOME_ROWS = new Parameters<QueuePolicy>()
      .value("queue", QueuePolicy::queue)
      .value("limit", policy -> ROWS_AT_ONCE);
  private static final SqlStatement<PgSession.Scoped<QueuePolicy>> BIND_BOUNDED =
      PgSession.statement("bind_bounded", SOME_ROWS);
  private static final SqlStatement<PgSession.Scoped<QueuePolicy>> BIND_UNBOUNDED =
      PgSession.statement("bind_unbounded", SOME_ROWS);
  private static final SqlStatement<PgSession.Scoped<QueuePolicy>> NOTE = PgSession.statement(
      "note_binding",
      new Parameters<QueuePolicy>()
          .value("queue", QueuePolicy::queue)
          .value("bounded", QueuePolicy::isBounded));
  private static final SqlStatement<PgSession.Scoped<List<QueuePolicy>>> UNBOUND =
      PgSession.statement(
          "queues_to_bind",
          new Parameters<List<QueuePolicy>>()
              .rows(
                  policies -> policies,
                  new Columns<QueuePolicy>()
                      .texts("queues", QueuePolicy::queue)
                      .flags("bounded", QueuePolicy::isBounded)));

  public static final List<SqlStatement<?>> STATEMENTS =
      List.of(BIND_BOUNDED, BIND_UNBOUNDED, NOTE, UNBOUND);

  private final PgSession session;
  private final Clock clock;
  private final ContentionRetry retry;
  private final Map<Key, Binding> bindings = new ConcurrentHashMap<>();
  private final Map<Key, Boolean> notes = new ConcurrentHashMap<>();
  private final Map<Key, Future<Boolean>> underWay = new ConcurrentHashMap<>();
  private final Map<Key, Instant> contended = new ConcurrentHashMap<>();

  /** @param retry sends again what others keep from its rows or tables */
  public QueueBindings(PgSession session, Clock clock, ContentionRetry retry) {
    this.session = session;
    this.clock = clock;
    this.retry = retry;
  }

  /** Looks at every queue again, and tells others again what it is. */
  public void forget() {
    bindings.clear();
    notes.clear();
  }

  /**
   * Tells creations that do not name a policy, of this process or another, that these queues are as their
   * policies say; once, until this process hears otherwise.
   */
  public Future<Void> note(PgSession.Scope scope, Collection<QueuePolicy> policies) {
    Future<Void> noted = Future.succeededFuture();
    for (QueuePolicy policy : policies) {
      Boolean known = notes.get(new Key(scope.env(), policy.queue()));
      if (known == null || known != policy.isBounded()) {
        noted = noted.compose(before -> note(scope, policy, Supplier::get));
      }
    }
    return noted;
  }

  private Future<Void> note(PgSession.Scope scope, QueuePolicy policy, Sender sender) {
    Key key = new Key(scope.env(), policy.queue());
    return sender.send(() -> session.execute(NOTE, scope, policy)).map(noted -> {
      notes.put(key, policy.isBounded());
      bindings.computeIfPresent(
          key, (queue, before) -> before.bounded() == policy.isBounded() ? before : null);
      return null;
    });
  }

  /**
   * Completes when the rows of these queues agree with their policies; one statement where they do already. Each of its
   * statements is sent again where others are in the way.
   */
  public Future<Void> bind(PgSession.Scope scope, Collection<QueuePolicy> policies) {
    return bind(scope, policies, retry::run).recover(PgFailures.during("binding queues"));
  }

  /**
   * The same for what is gathered, which keeps a slot from others meanwhile: where somebody is in the way it fails, as
   * the driver says it, and whoever gathers sends it again later, and apart from what is nobody's in the way of.
   */
  public Future<Void> bindOnce(PgSession.Scope scope, Collection<QueuePolicy> policies) {
    return bind(scope, policies, Supplier::get);
  }

  private Future<Void> bind(
      PgSession.Scope scope, Collection<QueuePolicy> policies, Sender sender) {
    List<QueuePolicy> due =
        policies.stream().filter(policy -> isDue(scope, policy)).toList();
    if (due.isEmpty()) {
      return Future.succeededFuture();
    }
    Instant checkedAt = clock.now();
    return sender.send(() -> session.execute(UNBOUND, scope, due)).compose(rows -> {
      Set<String> wrong = new HashSet<>();
      rows.forEach(row -> wrong.add(row.getString(0)));
      Future<Void> bound = Future.succeededFuture();
      for (QueuePolicy policy : due) {
        if (wrong.contains(policy.queue())) {
          bound = bound.compose(before -> bind(scope, policy, checkedAt, sender));
        } else {
          isBound(scope, policy, checkedAt);
        }
      }
      return bound;
    });
  }

  /**
   * Gives runs of bounded queues their partitions that a claim or a look met without one. A part of them, in one
   * statement for all who ask meanwhile; who still meets some asks again. Completes with whether another look is
   * worthwhile. What somebody holds is left alone for a second, or until the next check.
   */
  public Future<Boolean> bindMet(PgSession.Scope scope, Collection<QueuePolicy> bounded) {
    Future<Boolean> met = Future.succeededFuture(false);
    for (QueuePolicy policy : bounded) {
      met = met.compose(before -> bindMet(scope, policy).map(now -> before || now));
    }
    return met;
  }

  private Future<Boolean> bindMet(PgSession.Scope scope, QueuePolicy policy) {
    Key key = new Key(scope.env(), policy.queue());
    Instant lost = contended.get(key);
    if (lost != null && Duration.between(lost, clock.now()).abs().compareTo(AFTER_CONTENTION) < 0) {
      return Future.succeededFuture(false);
    }
    Promise<Boolean> mine = Promise.promise();
    Future<Boolean> others = underWay.putIfAbsent(key, mine.future());
    if (others != null) {
      return onCallersContext(others);
    }
    return Future.<Void>succeededFuture()
        .compose(start -> session.execute(BIND_BOUNDED, scope, policy))
        .transform((rows, failure) -> {
          if (failure == null) {
            contended.remove(key);
          } else if (PgFailures.mayBeSentAgain(failure)) {
            contended.put(key, clock.now());
          } else {
            return Future.<Boolean>failedFuture(failure);
          }
          return Future.succeededFuture(true); // whom it lost against may have rewritten the rows
        })
        .andThen((again, failure) -> {
          underWay.remove(key);
          if (failure == null) {
            mine.complete(again);
          } else {
            mine.fail(failure);
          }
        });
  }

  private static <T> Future<T> onCallersContext(Future<T> others) {
    Context caller = Vertx.currentContext();
    return caller == null ? others : Future.fromCompletionStage(others.toCompletionStage(), caller);
  }

  private boolean isDue(PgSession.Scope scope, QueuePolicy policy) {
    Binding known = bindings.get(new Key(scope.env(), policy.queue()));
    return known == null
        || known.bounded() != policy.isBounded()
        || Duration.between(known.checkedAt(), clock.now()).abs().toSeconds()
            >= SECONDS_BETWEEN_CHECKS;
  }

  private Future<Void> bind(
      PgSession.Scope scope, QueuePolicy policy, Instant checkedAt, Sender sender) {
    return note(scope, policy, sender)
        .compose(noted -> FutureLoop.whileTrue(() -> rewrite(scope, policy, sender)))
        .map(done -> {
          isBound(scope, policy, checkedAt);
          return null;
        });
  }

  private void isBound(PgSession.Scope scope, QueuePolicy policy, Instant checkedAt) {
    Key key = new Key(scope.env(), policy.queue());
    notes.put(key, policy.isBounded());
    bindings.put(key, new Binding(policy.isBounded(), checkedAt));
  }

  /** Rewrites some; true: more may be left. */
  private Future<Boolean> rewrite(PgSession.Scope scope, QueuePolicy policy, Sender sender) {
    SqlStatement<PgSession.Scoped<QueuePolicy>> bind =
        policy.isBounded() ? BIND_BOUNDED : BIND_UNBOUNDED;
    return sender
        .send(() -> session.execute(bind, scope, policy))
        .map(rows -> rows.iterator().next().getLong(0) == ROWS_AT_ONCE);
  }

  /** How a statement is sent that is its own transaction. */
  private interface Sender {
    Future<RowSet<Row>> send(Supplier<Future<RowSet<Row>>> statement);
  }

  private record Key(int env, String queue) {}

  private record Binding(boolean bounded, Instant checkedAt) {}
}
