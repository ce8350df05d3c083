package dev.runlane.conformance.drawn;

import dev.runlane.conformance.model.Names;
import dev.runlane.run.Environment;
import dev.runlane.run.RunlaneException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Says commands to a storage in its own names, and finds where its answer is not the model's. */
public final class Answers {
  private final Names names;

  /** Of an adapter whose names for what it makes are learnt from its answers. */
  public Answers(Names names) {
    this.names = names;
  }

  /** The command, or a part of it, in the storage's names; those it has not shown yet stay as they are. */
  @Nullable
  public Object inStorage(@Nullable Object value) {
    if (value instanceof Environment environment) {
      return names.inStorage(environment);
    }
    if (value instanceof String text) {
      return Names.isMade(text) ? names.inStorage(text).orElse(text) : text;
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> all = new ArrayList<>(list.size());
      list.forEach(each -> all.add(inStorage(each)));
      return all;
    }
    if (value instanceof Record) {
      Shape shape = Shape.of(value);
      List<@Nullable Object> parts = shape.partsOf(value);
      boolean changed = false;
      for (int i = 0; i < parts.size(); i++) {
        Object before = parts.get(i);
        Object after = inStorage(before);
        changed |= after != before;
        parts.set(i, after);
      }
      return changed ? shape.make(parts) : value;
    }
    return value;
  }

  /** Whether a command names something that no answer has shown, as happens once the step that made it was cut. */
  public boolean namesWhatNobodyKnows(@Nullable Object value) {
    if (value instanceof String text) {
      return Names.isMade(text) && names.inStorage(text).isEmpty();
    }
    if (value instanceof List<?> list) {
      return list.stream().anyMatch(this::namesWhatNobodyKnows);
    }
    return value instanceof Record
        && Shape.of(value).partsOf(value).stream().anyMatch(this::namesWhatNobodyKnows);
  }

  /** Where the storage's answer differs, as the path to it and both values. */
  public Optional<String> difference(@Nullable Object expected, @Nullable Object found) {
    return differenceIn(expected, found).map("answer"::concat);
  }

  private Optional<String> differenceIn(@Nullable Object expected, @Nullable Object found) {
    if (expected
        instanceof Supplier<?> later) { // what depends on names that the answer has shown before it
      return differenceIn(later.get(), found);
    }
    if (expected instanceof RunlaneException wanted && found instanceof RunlaneException actual) {
      return differenceIn(essence(wanted), essence(actual));
    }
    if (expected instanceof Environment wanted && found instanceof Environment) {
      return equal(names.inStorage(wanted), found);
    }
    if (expected instanceof String name && Names.isMade(name) && found instanceof String actual) {
      return names.mayBe(name, actual)
          ? Optional.empty()
          : Optional.of(": %s is %s to the storage, but here it is %s"
              .formatted(name, names.inStorage(name).orElse("another's"), actual));
    }
    if (expected instanceof Optional<?> wanted && found instanceof Optional<?> actual) {
      return differenceIn(wanted.orElse(null), actual.orElse(null));
    }
    if (expected instanceof Set<?> wanted && found instanceof List<?> actual) {
      return wanted.size() == actual.size()
          ? equal(wanted, new HashSet<>(actual))
          : equal(wanted, actual);
    }
    if (expected instanceof List<?> wanted && found instanceof List<?> actual) {
      return listDifference(wanted, actual);
    }
    if (expected instanceof Record && found != null && expected.getClass() == found.getClass()) {
      return recordDifference(expected, found);
    }
    return equal(expected, found);
  }

  private Optional<String> listDifference(List<?> expected, List<?> found) {
    for (int i = 0; i < Math.min(expected.size(), found.size()); i++) {
      Optional<String> difference = differenceIn(expected.get(i), found.get(i));
      if (difference.isPresent()) {
        return Optional.of("[" + i + "]" + difference.get());
      }
    }
    return expected.size() == found.size() ? Optional.empty() : equal(expected, found);
  }

  private Optional<String> recordDifference(Object expected, Object found) {
    Shape shape = Shape.of(expected);
    List<@Nullable Object> wanted = shape.partsOf(expected);
    List<@Nullable Object> actual = shape.partsOf(found);
    for (int i = 0; i < wanted.size(); i++) {
      Optional<String> difference = differenceIn(wanted.get(i), actual.get(i));
      if (difference.isPresent()) {
        return Optional.of("." + shape.names().get(i) + difference.get());
      }
    }
    return Optional.empty();
  }

  private static Optional<String> equal(@Nullable Object expected, @Nullable Object found) {
    return Objects.equals(expected, found)
        ? Optional.empty()
        : Optional.of("%n  is        %s%n  should be %s".formatted(found, expected));
  }

  /** What callers branch on; messages are for people. */
  private static List<@Nullable Object> essence(RunlaneException failure) {
    List<@Nullable Object> essence = new ArrayList<>();
    essence.add(failure.code());
    essence.add(failure.isRetryable());
    essence.add(failure.conflictKind());
    essence.add(failure.meta().get(RunlaneException.OWNER_RUN_ID));
    for (String named : List.of("jobId", "currentState", "expectedStates")) {
      essence.add(failure.meta().get(named));
    }
    return essence;
  }
}
