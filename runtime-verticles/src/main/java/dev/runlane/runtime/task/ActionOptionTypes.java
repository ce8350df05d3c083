package dev.runlane.runtime.task;

import static dev.runlane.options.OptionTypes.choice;

import dev.runlane.json.TtlText;
import dev.runlane.options.Option;
import dev.runlane.options.OptionChecks;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionType;
import dev.runlane.options.OptionTypes;
import dev.runlane.options.OptionValues;
import dev.runlane.run.Actor;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The types of options of single calls, which have a JSON form but are checked by the call. */
public final class ActionOptionTypes {
  /** Instants such as {@code 2026-05-01T12:00:00Z}. */
  public static final OptionType<Instant> INSTANT =
      parsed("instant", "2026-05-01T12:00:00Z", Instant::parse, Instant::toString);

  /** Any duration. */
  public static final OptionType<Duration> DURATION = OptionTypes.computedDuration();

  /** How long an idempotency key is kept: {@code active}, or a duration. */
  static final OptionType<IdempotencyTtl> IDEMPOTENCY_TTL = parsed(
          "`active` or duration", "active or 30d", TtlText::parse, TtlText::format)
      .checked("`active` or duration", ActionOptionTypes::requireWholeMillis)
      .described(IdempotencyTtl::toString);

  /** Who acts: {@code {"type":"operator","id":"ann"}}. */
  static final OptionType<Actor> ACTOR = OptionTypes.object(
          "`type` and `id` of who acts",
          json -> new ActorOptions(json).actor(),
          actor -> new ActorOptions(actor).toJson())
      .described(actor -> actor.id() == null ? actor.type().value() : actor.id());

  /** A queue with its policy: {@code {"name":"mail","concurrencyLimit":2,"dispatchTimeout":"5s"}}. */
  static final OptionType<TaskQueue> QUEUE = OptionTypes.object(
          "`name`, `concurrencyLimit`, `dispatchTimeout`, `default` of a queue",
          json -> new QueueOptions(json).queue(),
          queue -> new QueueOptions(queue).toJson())
      .described(TaskQueue::toString);

  private ActionOptionTypes() {}

  private static IdempotencyTtl requireWholeMillis(String name, IdempotencyTtl ttl) {
    if (ttl.retention() != null) {
      OptionChecks.requireWholeMillis(name, ttl.retention());
    }
    return ttl;
  }

  private static <T> OptionType<T> parsed(
      String range, String example, Function<String, T> parser, Function<T, String> format) {
    return OptionType.of(
        range,
        (name, value) -> {
          try {
            return parser.apply(String.valueOf(value));
          } catch (DateTimeParseException | RunlaneException malformed) {
            throw RunlaneException.configurationInvalid(
                    "%s must look like %s, but is %s", name, example, value)
                .causedBy(malformed);
          }
        },
        format::apply);
  }

  /** An actor in JSON. */
  private static final class ActorOptions extends OptionValues<ActorOptions> {
    private static final OptionSet OPTIONS = OptionSet.of("an actor");
    private static final Option<Actor.Type> TYPE = OPTIONS.add(
        "type", Actor.Type.SYSTEM, choice(List.of(Actor.Type.values()), Actor.Type::value));
    private static final Option<String> ID = OPTIONS.add("id", null, OptionTypes.text());

    ActorOptions(JsonObject json) {
      super(OPTIONS, json);
    }

    ActorOptions(Actor actor) {
      super(OPTIONS);
      set(TYPE, actor.type());
      set(ID, actor.id());
    }

    Actor actor() {
      return new Actor(get(TYPE), orNull(ID));
    }
  }

  /** A queue in JSON. */
  private static final class QueueOptions extends OptionValues<QueueOptions> {
    private static final OptionSet OPTIONS = OptionSet.of("a queue");
    private static final Option<String> NAME = OPTIONS.add("name", null, OptionTypes.id());
    private static final Option<Integer> CONCURRENCY_LIMIT =
        OPTIONS.add("concurrencyLimit", null, OptionTypes.whole(1));
    private static final Option<Duration> DISPATCH_TIMEOUT =
        OPTIONS.add("dispatchTimeout", null, OptionTypes.duration());
    private static final Option<Boolean> DEFAULT =
        OPTIONS.add("default", false, OptionTypes.flag());

    QueueOptions(JsonObject json) {
      super(OPTIONS, json);
    }

    QueueOptions(TaskQueue queue) {
      super(OPTIONS);
      set(NAME, queue.name());
      set(CONCURRENCY_LIMIT, queue.policy().concurrencyLimit());
      set(DISPATCH_TIMEOUT, queue.policy().dispatchTimeout());
      set(DEFAULT, queue.isDefault());
    }

    TaskQueue queue() {
      TaskQueue queue = TaskQueue.of(find(NAME).orElse(""));
      Optional<Integer> limit = find(CONCURRENCY_LIMIT);
      if (limit.isPresent()) {
        queue = queue.concurrencyLimit(limit.get());
      }
      Optional<Duration> timeout = find(DISPATCH_TIMEOUT);
      if (timeout.isPresent()) {
        queue = queue.dispatchTimeout(timeout.get());
      }
      return get(DEFAULT) ? queue.asDefault() : queue;
    }
  }
}
