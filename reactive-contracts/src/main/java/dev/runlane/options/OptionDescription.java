package dev.runlane.options;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An option, for people.
 *
 * @param name its name
 * @param keys its keys in JSON; none where only code can set it
 * @param range what it takes
 * @param value what it is set to, {@code ***} for a secret; null where nothing is set
 */
public record OptionDescription(
    String name, List<String> keys, String range, @Nullable String value) {
  /** Refuses null, but for the value, and copies the keys. */
  public OptionDescription {
    Objects.requireNonNull(name);
    keys = List.copyOf(keys);
    Objects.requireNonNull(range);
  }
}
