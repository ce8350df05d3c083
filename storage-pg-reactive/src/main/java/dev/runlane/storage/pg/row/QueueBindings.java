package dev.runlane.storage.pg.row;

import dev.runlane.postgres.ContentionRetry;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.QueuePolicy;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FutureLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether queues are bounded, as this process was told last. The limit itself is a parameter of each
 * command, so that two versions of a deployment each keep their own; but a run's row says whether it is
 * counted in a partition, so rows written under the other policy are rewritten when a queue is first seen
 * with a policy, and looked for again every {@value #SECONDS_BETWEEN_CHECKS} s. What was heard last stands in a
 * table too, for creations that do not name a policy; one that began before that was written, and is committed after
 * the rows were rewritten, is found by the claims and looks that meet it.
 */
public final class QueueBindings {
  private static final Logger LOG = LoggerFactory.getLogger(QueueBindings.class);
  private static final int SECONDS_BETWEEN_CHECKS = 10;
  private static final int ROWS_AT_ONCE = 500;
  private static final Duration AFTER_CONTENTION = Duration.ofSeconds(1);

  /** How long a claim waits for a queue that is being rewritten while it may take from others = 250 ms. */
  private static final Duration LEFT_OUT_AFTER = Duration.ofMillis(250);

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
  private final Timers timers;
  private final Map<Key, Binding> bindings = new ConcurrentHashMap<>();
  private final Map<Key, Boolean> notes = new ConcurrentHashMap<>();
  private final Map<Key, Future<Boolean>> underWay = new ConcurrentHashMap<>();
  private final Map<Key, Instant> contended = new ConcurrentHashMap<>();
  private final Map<Key, Rewriting> rewritings = new ConcurrentHashMap<>();

  /** @param retry sends again what others keep from its rows or tables */
  public QueueBindings(PgSession session, Clock clock, ContentionRetry retry, Timers timers) {
    this.session = session;
    this.clock = clock;
    this.retry = retry;
    this.timers = timers;
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
   * Completes with those of these queues whose rows agree with their policies. A queue that is still being rewritten
   * after a quarter of a second, because it is long or somebody holds one of its rows, is left out while another one is
   * ready, and is rewritten all the same. Where none is, the first is waited for as by {@link #bind}.
   */
  public Future<Ready> bindReady(PgSession.Scope scope, List<QueuePolicy> policies) {
    List<QueuePolicy> due =
        policies.stream().filter(policy -> isDue(scope, policy)).toList();
    if (due.isEmpty()) {
      return Future.succeededFuture(new Ready(policies, List.of()));
    }
    List<QueuePolicy> asked =
        due.stream().filter(policy -> !isBeingRewritten(scope, policy)).toList();
    Instant checkedAt = clock.now();
    return wrong(scope, asked)
        .compose(wrong -> {
          Map<QueuePolicy, Rewriting> begun = new LinkedHashMap<>();
          Future<Void> turn =
              Future.succeededFuture(); // many at once would take the pool from others
          for (QueuePolicy policy : due) {
            if (asked.contains(policy) && !wrong.contains(policy.queue())) {
              isBound(scope, policy, checkedAt);
            } else {
              Rewriting next = rewriting(scope, policy, checkedAt, turn);
              begun.put(policy, next);
              turn = turn.compose(before -> waitFor(List.of(next.end()), LEFT_OUT_AFTER));
            }
          }
          return begun.isEmpty()
              ? Future.succeededFuture(new Ready(policies, List.of()))
              : ready(policies, begun);
        })
        .recover(PgFailures.during("binding queues"));
  }

  /** Completes once the queues that were left out are rewritten, or after a quarter of a second. Never fails. */
  public Future<Void> soon(Ready ready) {
    return waitFor(ready.rest(), LEFT_OUT_AFTER);
  }

  private Future<Set<String>> wrong(PgSession.Scope scope, List<QueuePolicy> asked) {
    return asked.isEmpty()
        ? Future.succeededFuture(Set.of())
        : retry.run(() -> session.execute(UNBOUND, scope, asked)).map(rows -> {
          Set<String> wrong = new HashSet<>();
          rows.forEach(row -> wrong.add(row.getString(0)));
          return wrong;
        });
  }

  private Future<Ready> ready(List<QueuePolicy> policies, Map<QueuePolicy, Rewriting> begun) {
    List<Future<Void>> ends = begun.values().stream().map(Rewriting::end).toList();
    Duration latest = begun.values().stream()
        .map(Rewriting::begunAt)
        .max(Comparator.naturalOrder())
        .orElseThrow();
    return waitFor(ends, LEFT_OUT_AFTER.minus(timers.elapsed().minus(latest))).compose(over -> {
      boolean anyReady = policies.stream()
          .anyMatch(policy -> !begun.containsKey(policy) || isDone(begun.get(policy)));
      Future<?> awaited = anyReady ? Future.succeededFuture() : Future.any(ends);
      return awaited.compose(any -> readyNow(policies, begun));
    });
  }

  /** Whom others keep from its rows is left out; whatever else goes wrong is the caller's to know. */
  private static Future<Ready> readyNow(
      List<QueuePolicy> policies, Map<QueuePolicy, Rewriting> begun) {
    List<Future<Void>> rest = new ArrayList<>();
    List<QueuePolicy> ready = new ArrayList<>();
    for (QueuePolicy policy : policies) {
      Rewriting rewriting = begun.get(policy);
      if (rewriting == null || isDone(rewriting)) {
        ready.add(policy);
      } else if (rewriting.end().failed()
          && !PgFailures.mayBeSentAgain(rewriting.end().cause())) {
        return Future.failedFuture(rewriting.end().cause());
      } else {
        rest.add(rewriting.end());
      }
    }
    return Future.succeededFuture(new Ready(ready, rest));
  }

  private static boolean isDone(@Nullable Rewriting rewriting) {
    return rewriting != null && rewriting.end().succeeded();
  }

  private Future<Void> waitFor(List<Future<Void>> ends, Duration most) {
    Future<?> all = Future.join(ends);
    return all.isComplete() || most.isNegative() || most.isZero()
        ? Future.succeededFuture()
        : timers
            .within(most, all, IllegalStateException::new)
            .transform((done, failure) -> Future.succeededFuture());
  }

  private boolean isBeingRewritten(PgSession.Scope scope, QueuePolicy policy) {
    Rewriting known = rewritings.get(new Key(scope.env(), policy.queue()));
    return known != null && known.bounded() == policy.isBounded();
  }

  /** One for all claims that meet the queue meanwhile; it goes on whoever waits for it. */
  @SuppressWarnings("ReferenceEquality") // the very one that was begun here, not one like it
  private Rewriting rewriting(
      PgSession.Scope scope, QueuePolicy policy, Instant checkedAt, Future<Void> turn) {
    Key key = new Key(scope.env(), policy.queue());
    Promise<Void> end = Promise.promise();
    Rewriting mine = new Rewriting(policy.isBounded(), timers.elapsed(), end.future());
    Rewriting known = rewritings.compute(
        key,
        (queue, before) ->
            before != null && before.bounded() == policy.isBounded() ? before : mine);
    if (known != mine) {
      return new Rewriting(known.bounded(), known.begunAt(), onCallersContext(known.end()));
    }
    Future<Void> rewritten = turn.compose(start -> bind(scope, policy, checkedAt, retry::run))
        .andThen((done, failure) -> {
          rewritings.remove(key, mine);
          if (failure == null) {
            end.complete();
          } else {
            tellHeld(policy, failure);
            end.fail(failure);
          }
        });
    return new Rewriting(mine.bounded(), mine.begunAt(), rewritten);
  }

  /** Once for each ten seconds that somebody holds them. */
  private static void tellHeld(QueuePolicy policy, Throwable failure) {
    if (PgFailures.mayBeSentAgain(failure)) {
      LOG.warn(
          "runs of queue {} are not claimed until they are rewritten for {}, from which somebody's locks keep them: {}",
          policy.queue(),
          policy.isBounded() ? "its limit" : "its having no limit",
          failure.getMessage());
    }
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

  /** Rows of a queue that are being rewritten, since when on the timers' time, and the end of that. */
  private record Rewriting(boolean bounded, Duration begunAt, Future<Void> end) {}

  /**
   * Queues that can be claimed from.
   *
   * @param policies theirs
   * @param rest the end of the rewriting of each that was left out
   */
  public record Ready(List<QueuePolicy> policies, List<Future<Void>> rest) {
    /** Copies the lists. */
    public Ready {
      policies = List.copyOf(policies);
      rest = List.copyOf(rest);
    }
  }
}
