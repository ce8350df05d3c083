package dev.runlane.runtime.alert;

import dev.runlane.json.VertxJson;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rules, and when they were looked at last, as documents of the storage. */
final class AlertRules {
  /** Most rules of an environment. */
  static final int MOST = 200;

  private static final Logger LOG = LoggerFactory.getLogger(AlertRules.class);
  private static final String RULE = "alert_rule";
  private static final String PASS = "alert_pass";
  private static final String WAITS = "waits";
  private static final String COUNTED =
      "counted"; // by how long runs had waited when depths were counted
  private static final String OLDER = "olderPassAt";
  private static final Duration OLDER_FOR = Duration.ofHours(1);
  private static final Actor NOBODY = new Actor(Actor.Type.SYSTEM, null);

  private final OperatorStore store;
  private final Environment environment;

  AlertRules(OperatorStore store, Environment environment) {
    this.store = store;
    this.environment = environment;
  }

  /** Those that can be read here. */
  Future<List<StoredRule>> list() {
    return known().map(Known::readable);
  }

  Future<Known> known() {
    return store
        .listDocuments(new ListDocuments(environment, RULE, MOST, null))
        .map(page -> new Known(
            page.data().stream().flatMap(AlertRules::rule).toList(),
            page.data().stream().map(OperatorDocument::name).collect(Collectors.toSet())));
  }

  /** Nothing where it cannot be read here, as one of a kind that only a later release knows. */
  private static Stream<StoredRule> rule(OperatorDocument document) {
    try {
      return Stream.of(new StoredRule(
          AlertRule.of(document.name(), VertxJson.object(document.content())),
          document.version(),
          document.actor(),
          document.changedAt()));
    } catch (RunlaneException unreadable) {
      LOG.debug("alert rule {} cannot be read here", document.name(), unreadable);
      return Stream.empty();
    }
  }

  /** Empty where another version is there. Fails with {@code ValidationFailed} where there are {@link #MOST}. */
  Future<Optional<Long>> put(
      AlertRule rule, @Nullable Long expectedVersion, Actor actor, Instant now) {
    return known().compose(known -> {
      if (!known.ids().contains(rule.id()) && known.ids().size() >= MOST) {
        throw RunlaneException.validationFailed("there may be at most %d alert rules", MOST);
      }
      return store.putDocument(new PutDocument(
          environment, RULE, rule.id(), expectedVersion, VertxJson.of(rule.toJson()), actor, now));
    });
  }

  Future<Boolean> remove(String ruleId) {
    return store.removeDocument(new RemoveDocument(environment, RULE, ruleId));
  }

  Future<Optional<LastPass>> lastPass() {
    return pass()
        .map(found -> found.map(each -> new LastPass(
            each.changedAt(),
            VertxJson.object(each.content()).getJsonArray("channels", new JsonArray()).stream()
                .map(String.class::cast)
                .toList())));
  }

  /** Whether the caller is the one that is to look at the rules now: of many that ask at once, one. */
  Future<Pass> beginPass(Instant now, Duration every, List<String> channels) {
    return pass().compose(last -> {
      boolean isRecent = last.map(OperatorDocument::changedAt)
          .filter(at -> at.plus(every).isAfter(now) && !at.isAfter(now.plus(every)))
          .isPresent();
      if (isRecent) {
        return Future.succeededFuture(Pass.OF_ANOTHER);
      }
      JsonObject begun =
          new JsonObject().put("channels", new JsonArray(channels)).put(WAITS, COUNTED);
      Optional<Instant> older =
          last.flatMap(AlertRules::olderPass).filter(at -> at.plus(OLDER_FOR).isAfter(now));
      older.ifPresent(at -> begun.put(OLDER, at.toString()));
      Pass mine = older.isPresent() ? Pass.BESIDE_OLDER : Pass.MINE;
      Json content = VertxJson.of(begun);
      return store
          .putDocument(new PutDocument(
              environment,
              PASS,
              PASS,
              last.map(OperatorDocument::version).orElse(0L),
              content,
              NOBODY,
              now))
          .map(put -> put.isPresent() ? mine : Pass.OF_ANOTHER);
    });
  }

  /** When a release looked last that goes by other waits than this one; empty where none did lately. */
  private static Optional<Instant> olderPass(OperatorDocument pass) {
    JsonObject content = VertxJson.object(pass.content());
    return COUNTED.equals(content.getValue(WAITS))
        ? Optional.ofNullable(content.getInstant(OLDER))
        : Optional.of(pass.changedAt());
  }

  private Future<Optional<OperatorDocument>> pass() {
    return store
        .listDocuments(new ListDocuments(environment, PASS, 1, null))
        .map(page -> page.data().stream().findFirst());
  }

  /** Who looks at the rules now. */
  enum Pass {
    /** Another one does, or has just done so. */
    OF_ANOTHER,
    /** The one that asked. */
    MINE,
    /**
     * The one that asked, in turns with processes of an older release, which go by the time of the look: what both do
     * not see alike would be opened by one and resolved by the other, again and again.
     */
    BESIDE_OLDER
  }

  /**
   * The rules of an environment.
   *
   * @param readable those that can be read here
   * @param ids of all of them
   */
  record Known(List<StoredRule> readable, Set<String> ids) {}
}
