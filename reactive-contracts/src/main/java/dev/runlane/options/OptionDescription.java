package dev.runlane.options;

import java.util.List;
import java.util.Optional;

/**
 * An option, for people.
 *
 * @param name its name
 * @param keys its keys in JSON; none where only code can set it
 * @param range what it takes
 * @param value what it is set to, {@code ***} for a secret; empty where nothing is set
 */
public record OptionDescription(
    String name, List<String> keys, String range, Optional<String> value) {}
