package dev.runlane.storage.pg.row;

import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.QueuePolicy;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FutureLoop;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whether queues are bounded, as this process was told last. The limit itself is a parameter of each
 * command, so that two versions of a deployment each keep their own; but a run's row says whether it is
 * counted in a partition, so rows written under the other policy are rewritten when a queue is first seen
 * with a policy, and looked for again every {@value #SECONDS_BETWEEN_CHECKS} s. What was heard last stands in a
 * table too, for creations that do not name a policy.
 */
public final class QueueBindings {
  private static final int SECONDS_BETWEEN_CHECKS = 10;
  private static final int ROWS_AT_ONCE = 500;

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
  private final Map<Key, Binding> bindings = new ConcurrentHashMap<>();
  private final Map<Key, Boolean> notes = new ConcurrentHashMap<>();

  public QueueBindings(PgSession session, Clock clock) {
    this.session = session;
    this.clock = clock;
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
        noted = noted.compose(before -> note(scope, policy));
      }
    }
    return noted;
  }

  private Future<Void> note(PgSession.Scope scope, QueuePolicy policy) {
    Key key = new Key(scope.env(), policy.queue());
    return session.execute(NOTE, scope, policy).map(noted -> {
      notes.put(key, policy.isBounded());
      bindings.computeIfPresent(
          key, (queue, before) -> before.bounded() == policy.isBounded() ? before : null);
      return null;
    });
  }

  /** Completes when the rows of these queues agree with their policies; one statement where they do already. */
  public Future<Void> bind(PgSession.Scope scope, Collection<QueuePolicy> policies) {
    List<QueuePolicy> due =
        policies.stream().filter(policy -> isDue(scope, policy)).toList();
    if (due.isEmpty()) {
      return Future.succeededFuture();
    }
    Instant checkedAt = clock.now();
    return session
        .execute(UNBOUND, scope, due)
        .recover(PgFailures.during("looking at the bindings of queues"))
        .compose(rows -> {
          Set<String> wrong = new HashSet<>();
          rows.forEach(row -> wrong.add(row.getString(0)));
          Future<Void> bound = Future.succeededFuture();
          for (QueuePolicy policy : due) {
            if (wrong.contains(policy.queue())) {
              bound = bound.compose(before -> bind(scope, policy, checkedAt));
            } else {
              isBound(scope, policy, checkedAt);
            }
          }
          return bound;
        });
  }

  private boolean isDue(PgSession.Scope scope, QueuePolicy policy) {
    Binding known = bindings.get(new Key(scope.env(), policy.queue()));
    return known == null
        || known.bounded() != policy.isBounded()
        || Duration.between(known.checkedAt(), clock.now()).abs().toSeconds()
            >= SECONDS_BETWEEN_CHECKS;
  }

  private Future<Void> bind(PgSession.Scope scope, QueuePolicy policy, Instant checkedAt) {
    return note(scope, policy)
        .compose(noted -> FutureLoop.whileTrue(() -> rewrite(scope, policy, 1)))
        .map(done -> {
          isBound(scope, policy, checkedAt);
          return (Void) null;
        })
        .recover(PgFailures.during("binding queue " + policy.queue()));
  }

  private void isBound(PgSession.Scope scope, QueuePolicy policy, Instant checkedAt) {
    Key key = new Key(scope.env(), policy.queue());
    notes.put(key, policy.isBounded());
    bindings.put(key, new Binding(policy.isBounded(), checkedAt));
  }

  /** Rewrites some; true: more may be left. Who is kept from a row by somebody's append asks again. */
  private Future<Boolean> rewrite(PgSession.Scope scope, QueuePolicy policy, int tries) {
    SqlStatement<PgSession.Scoped<QueuePolicy>> bind =
        policy.isBounded() ? BIND_BOUNDED : BIND_UNBOUNDED;
    return session.execute(bind, scope, policy).transform((rows, failure) -> {
      if (failure != null) {
        return PgFailures.mayBeSentAgain(failure) && tries < PgSession.MOST_TRIES
            ? rewrite(scope, policy, tries + 1)
            : Future.failedFuture(failure);
      }
      return Future.succeededFuture(rows.iterator().next().getLong(0) == ROWS_AT_ONCE);
    });
  }

  private record Key(int env, String queue) {}

  private record Binding(boolean bounded, Instant checkedAt) {}
}
