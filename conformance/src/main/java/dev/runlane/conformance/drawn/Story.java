package dev.runlane.conformance.drawn;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.run.Environment;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A sequence as text: for people, and as Java that repeats it. */
public final class Story {
  private static final int LONGEST_TOLD = 24;

  /** What a builder of new jobs begins with. */
  private static final Set<String> SAID_OF_NEW_JOBS =
      Set.of("name", "data", "options", "createdAt");

  private Story() {}

  /** What somebody who looks for the fault reads. */
  static String of(Failure failure) {
    return "seed %s, cut to %s commands, of which the last is answered wrongly:%n%s%n%n%s%n%nTo keep it as a case:%n%n%s"
        .formatted(
            failure.seed(),
            failure.steps().size(),
            failure.steps().stream()
                .map(step -> "%4s  %s".formatted(step.number(), told(step.command())))
                .collect(Collectors.joining("\n")),
            failure.difference(),
            java(failure.steps()));
  }

  /** A value in short, without what is null, empty or follows from the rest. */
  public static String told(@Nullable Object value) {
    if (value instanceof Environment environment) {
      return environment.name();
    }
    if (value instanceof String text) {
      return text.length() > LONGEST_TOLD
          ? text.substring(0, LONGEST_TOLD) + "(" + text.length() + ")"
          : text;
    }
    if (value instanceof JobUpdate update) {
      return update.fields().stream()
          .map(field -> nameOf(field) + "=" + told(update.get(field)))
          .collect(Collectors.joining(" ", "(", ")"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Story::told).collect(Collectors.joining(", ", "[", "]"));
    }
    if (value instanceof Record) {
      Shape shape = Shape.of(value);
      List<@Nullable Object> parts = shape.partsOf(value);
      return IntStream.range(0, parts.size())
          .filter(i -> parts.get(i) != null && !(parts.get(i) instanceof RunRecord))
          .mapToObj(i -> shape.names().get(i) + "=" + told(parts.get(i)))
          .filter(part -> !part.endsWith("=[]"))
          .collect(Collectors.joining(" ", value.getClass().getSimpleName() + "(", ")"));
    }
    return Objects.toString(value);
  }

  /** Java for the body of a case beside those of the model. */
  static String java(List<Step> steps) {
    return steps.stream()
        .map(step -> "    step(%s, %s)".formatted(step.number(), java(step.command())))
        .collect(Collectors.joining(",\n", "assertHeld(\n", ");"));
  }

  /** An expression that makes the value. */
  static String java(@Nullable Object value) {
    if (value instanceof String text) {
      return quoted(text);
    }
    if (value instanceof Json json) {
      return "Json.ofChecked(" + quoted(json.text()) + ")";
    }
    if (value instanceof Instant || value instanceof Duration) {
      return "%s.parse(\"%s\")".formatted(value.getClass().getSimpleName(), value);
    }
    if (value instanceof Enum<?> constant) {
      return nameOf(constant.getDeclaringClass()) + "." + constant.name();
    }
    if (value instanceof Long number) {
      return number + "L";
    }
    if (value instanceof List<?> list) {
      return collection("List.of", list);
    }
    if (value instanceof Set<?> set) {
      return collection("Set.of", set);
    }
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> java(entry.getKey()) + ", " + java(entry.getValue()))
          .collect(Collectors.joining(", ", "Map.of(", ")"));
    }
    if (value instanceof Double number && !Double.isFinite(number)) {
      return "Double." + (number.isNaN() ? "NaN" : "POSITIVE_INFINITY");
    }
    if (value instanceof JobUpdate update) {
      return update.fields().stream()
          .map(field -> ".%s(%s)".formatted(nameOf(field), java(update.get(field))))
          .collect(Collectors.joining("", "JobUpdate.NONE", ""));
    }
    if (value instanceof JobOptions) {
      return "JobOptions.builder()" + built(value, Set.of());
    }
    if (value instanceof NewJob job) {
      return "NewJob.builder(%s, %s, %s, %s)"
              .formatted(
                  java(job.name()), java(job.data()), java(job.options()), java(job.createdAt()))
          + built(value, SAID_OF_NEW_JOBS);
    }
    if (value instanceof Record) {
      return Shape.of(value).partsOf(value).stream()
          .map(Story::java)
          .collect(Collectors.joining(", ", "new " + nameOf(value.getClass()) + "(", ")"));
    }
    return Objects.toString(value);
  }

  /** The rest of a builder's chain, which names what is neither said before nor missing. */
  private static String built(Object value, Set<String> said) {
    Shape shape = Shape.of(value);
    List<@Nullable Object> parts = shape.partsOf(value);
    return IntStream.range(0, parts.size())
        .filter(i -> parts.get(i) != null && !said.contains(shape.names().get(i)))
        .filter(i -> !List.of().equals(parts.get(i)))
        .mapToObj(i -> ".%s(%s)".formatted(shape.names().get(i), java(parts.get(i))))
        .collect(Collectors.joining("", "", ".build()"));
  }

  /** The method of an update that gives this field. */
  private static String nameOf(JobUpdate.Field field) {
    String[] words = field.name().toLowerCase(Locale.ROOT).split("_", -1);
    return words[0]
        + Arrays.stream(words, 1, words.length)
            .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
            .collect(Collectors.joining());
  }

  private static String collection(String maker, Collection<?> values) {
    return values.stream().map(Story::java).collect(Collectors.joining(", ", maker + "(", ")"));
  }

  private static String nameOf(Class<?> type) {
    Class<?> outer = type.getEnclosingClass();
    return outer == null ? type.getSimpleName() : nameOf(outer) + "." + type.getSimpleName();
  }

  private static String quoted(String text) {
    return text.chars()
        .mapToObj(unit -> switch (unit) {
          case '"' -> "\\\"";
          case '\\' -> "\\\\";
          case '\n' -> "\\n";
          default ->
            unit < ' ' || unit > '~' ? "\\u%04x".formatted(unit) : String.valueOf((char) unit);
        })
        .collect(Collectors.joining("", "\"", "\""));
  }
}
