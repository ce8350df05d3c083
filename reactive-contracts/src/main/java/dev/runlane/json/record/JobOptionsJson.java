package dev.runlane.json.record;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.json.JsonWriter;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Options of jobs as JSON. Durations are written in milliseconds, and read as that or as text such as {@code
 * 30s}; a removal is {@code true}, {@code false}, an age, or an object of {@code age} and {@code count}.
 */
public final class JobOptionsJson {
  private static final Set<String> KEYS = Set.of(
      "attempts",
      "backoff",
      "delay",
      "priority",
      "lifo",
      "repeat",
      "deduplication",
      "removeOnComplete",
      "removeOnFail",
      "timeout",
      "jobId",
      "failParentOnChildFailure",
      "group",
      "maxStalls",
      "deadLetterQueue",
      "traceCarrier");

  private JobOptionsJson() {}

  /** The options that were said. */
  public static Json write(JobOptions options) {
    JsonWriter writer = new JsonWriter();
    write(writer, options);
    return Json.ofChecked(writer.end());
  }

  /**
   * The options that were said, with the fields of those they came of that this release does not know, as a later one
   * wrote them.
   *
   * @param before what was written before
   */
  public static Json rewrite(JobOptions options, Json before) {
    JsonWriter writer = new JsonWriter();
    write(writer, options);
    JsonObjectText.of("job options", before.text()).writeUnknown(KEYS, writer);
    return Json.ofChecked(writer.end());
  }

  /** Reads what {@link #write} wrote. Fails with {@code InvariantViolation} on anything else. */
  public static JobOptions read(Json json) {
    return read(JsonObjectText.of("job options", json.text()));
  }

  /** When a job repeats. */
  public static Json write(JobRepeat repeat) {
    JsonWriter writer = new JsonWriter();
    write(writer, repeat);
    return Json.ofChecked(writer.end());
  }

  /** Reads when a job repeats. Fails with {@code InvariantViolation} on anything else. */
  public static JobRepeat readRepeat(Json json) {
    return repeat(JsonObjectText.of("repeat", json.text()));
  }

  /**
   * Reads options from outside. Fails with {@code ConfigurationInvalid} for a key or a name that it does not know and
   * for values of another type; ranges are left to {@code JobChecks}.
   */
  public static JobOptions parse(Json json) {
    try {
      JsonObjectText object = JsonObjectText.of("job options", json.text());
      object.requireKnown(KEYS);
      requireKnown(object, "backoff", "type", "delay", "customStrategy");
      requireKnown(object, "repeat", "cron", "every", "limit", "startDate", "endDate", "tz");
      requireKnown(object, "deduplication", "key", "hash", "ttl", "mode");
      requireKnown(object, "group", "id", "maxSize");
      requireKnown(object, "removeOnComplete", "age", "count");
      requireKnown(object, "removeOnFail", "age", "count");
      requireValue(
          object.objectOrNull("backoff"), "type", JobBackoff.Type.values(), JobBackoff.Type::value);
      requireValue(
          object.objectOrNull("deduplication"),
          "mode",
          JobDeduplication.Mode.values(),
          JobDeduplication.Mode::value);
      requireValue(
          object,
          "failParentOnChildFailure",
          ChildFailurePolicy.values(),
          ChildFailurePolicy::value);
      return read(object);
    } catch (RunlaneException malformed) {
      if (malformed.code() == ErrorCode.INVARIANT_VIOLATION) {
        throw RunlaneException.configurationInvalid("%s", String.valueOf(malformed.getMessage()));
      }
      throw malformed;
    }
  }

  static void write(JsonWriter writer, JobOptions options) {
    writer.numberOrNull("attempts", options.attempts());
    JobBackoff backoff = options.backoff();
    if (backoff != null) {
      writer.object("backoff", fields -> {
        fields.text("type", backoff.type().value());
        fields.millis("delay", backoff.delay());
        fields.text("customStrategy", backoff.strategy());
      });
    }
    writer.millis("delay", options.delay());
    writer.decimalOrNull("priority", options.priority());
    writer.flagOrNull("lifo", options.lifo());
    JobRepeat repeat = options.repeat();
    if (repeat != null) {
      writer.object("repeat", fields -> write(fields, repeat));
    }
    JobDeduplication deduplication = options.deduplication();
    if (deduplication != null) {
      writer.object("deduplication", fields -> write(fields, deduplication));
    }
    write(writer, "removeOnComplete", options.removeOnComplete());
    write(writer, "removeOnFail", options.removeOnFail());
    writer.millis("timeout", options.timeout());
    writer.text("jobId", options.jobId());
    ChildFailurePolicy policy = options.failParentOnChildFailure();
    writer.text("failParentOnChildFailure", policy == null ? null : policy.value());
    JobGroup group = options.group();
    if (group != null) {
      writer.object("group", fields -> {
        fields.text("id", group.id());
        fields.numberOrNull("maxSize", group.maxSize());
      });
    }
    writer.numberOrNull("maxStalls", options.maxStalls());
    writer.text("deadLetterQueue", options.deadLetterQueue());
    writer.texts("traceCarrier", options.traceCarrier());
  }

  static JobOptions read(JsonObjectText object) {
    JsonObjectText backoff = object.objectOrNull("backoff");
    JsonObjectText repeat = object.objectOrNull("repeat");
    JsonObjectText deduplication = object.objectOrNull("deduplication");
    JsonObjectText group = object.objectOrNull("group");
    return JobOptions.builder()
        .attempts(object.countOrNull("attempts"))
        .backoff(backoff == null ? null : backoff(backoff))
        .delay(object.millisOrNull("delay"))
        .priority(object.decimalOrNull("priority"))
        .lifo(object.flagOrNull("lifo"))
        .repeat(repeat == null ? null : repeat(repeat))
        .deduplication(deduplication == null ? null : deduplication(deduplication))
        .removeOnComplete(removal(object, "removeOnComplete"))
        .removeOnFail(removal(object, "removeOnFail"))
        .timeout(object.millisOrNull("timeout"))
        .jobId(object.textOrNull("jobId"))
        .failParentOnChildFailure(valueOrNull(
            ChildFailurePolicy.values(),
            ChildFailurePolicy::value,
            object.textOrNull("failParentOnChildFailure")))
        .group(group == null ? null : new JobGroup(group.text("id"), group.countOrNull("maxSize")))
        .maxStalls(object.countOrNull("maxStalls"))
        .deadLetterQueue(object.textOrNull("deadLetterQueue"))
        .traceCarrier(object.textsOrNull("traceCarrier"))
        .build();
  }

  private static void requireKnown(JsonObjectText object, String name, String... keys) {
    JsonObjectText inner = object.isObject(name) ? object.object(name) : null;
    if (inner != null) {
      inner.requireKnown(Set.of(keys));
    }
  }

  private static <T> void requireValue(
      @Nullable JsonObjectText object, String name, T[] values, Function<T, String> text) {
    String found = object == null ? null : object.textOrNull(name);
    if (object != null && found != null && valueOrNull(values, text, found) == null) {
      throw object.unreadable("unknown value " + found);
    }
  }

  private static void write(JsonWriter writer, JobRepeat repeat) {
    writer.text("cron", repeat.cron());
    writer.millis("every", repeat.every());
    writer.numberOrNull("limit", repeat.limit());
    writer.instant("startDate", repeat.startDate());
    writer.instant("endDate", repeat.endDate());
    writer.text("tz", repeat.zone());
  }

  private static void write(JsonWriter writer, JobDeduplication deduplication) {
    writer.text("key", deduplication.key());
    if (deduplication.key() == null) {
      writer.flag("hash", true);
    }
    writer.millis("ttl", deduplication.ttl());
    if (deduplication.mode() != JobDeduplication.Mode.KEEP) {
      writer.text("mode", deduplication.mode().value());
    }
  }

  private static void write(JsonWriter writer, String name, @Nullable JobRemoval removal) {
    if (removal == null) {
      return;
    }
    if (removal.isAtOnce() || (removal.age() == null && removal.count() == null)) {
      writer.flag(name, removal.isAtOnce());
    } else {
      writer.object(name, fields -> {
        fields.millis("age", removal.age());
        fields.numberOrNull("count", removal.count());
      });
    }
  }

  private static @Nullable JobBackoff backoff(JsonObjectText object) {
    JobBackoff.Type type =
        valueOrNull(JobBackoff.Type.values(), JobBackoff.Type::value, object.text("type"));
    return type == null
        ? null
        : new JobBackoff(type, object.millis("delay"), object.textOrNull("customStrategy"));
  }

  private static JobRepeat repeat(JsonObjectText object) {
    return new JobRepeat(
        object.textOrNull("cron"),
        object.millisOrNull("every"),
        object.countOrNull("limit"),
        object.instantOrNull("startDate"),
        object.instantOrNull("endDate"),
        object.textOrNull("tz"));
  }

  private static JobDeduplication deduplication(JsonObjectText object) {
    String key = object.textOrNull("key");
    if (key == null && !Boolean.TRUE.equals(object.flagOrNull("hash"))) {
      throw object.unreadable("Deduplication requires a key, or hash to be true");
    }
    JobDeduplication.Mode mode = valueOrNull(
        JobDeduplication.Mode.values(), JobDeduplication.Mode::value, object.textOrNull("mode"));
    return new JobDeduplication(
        key, object.millisOrNull("ttl"), mode == null ? JobDeduplication.Mode.KEEP : mode);
  }

  private static @Nullable JobRemoval removal(JsonObjectText object, String name) {
    if (!object.has(name)) {
      return null;
    }
    if (object.isFlag(name)) {
      return object.flag(name) ? JobRemoval.atOnce() : JobRemoval.never();
    }
    if (object.isObject(name)) {
      JsonObjectText fields = object.object(name);
      return new JobRemoval(false, fields.millisOrNull("age"), fields.countOrNull("count"));
    }
    return JobRemoval.after(object.millis(name));
  }

  /** Null for a value of a later release, as for its fields: what it stands for is passed over. */
  private static <T> @Nullable T valueOrNull(
      T[] values, Function<T, String> text, @Nullable String found) {
    return Arrays.stream(values)
        .filter(each -> text.apply(each).equals(found))
        .findFirst()
        .orElse(null);
  }
}
