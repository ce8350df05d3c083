package dev.runlane.timing.fire;

import dev.runlane.run.RunlaneException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads what the definitions of {@link FireTimes} say. */
final class Definitions {
  private static final Pattern ONCE = Pattern.compile("once at (?<instant>\\S+)");
  private static final Pattern EVERY = Pattern.compile("every (?<interval>\\S+)");
  private static final Pattern CRON =
      Pattern.compile("cron (?<expression>(?:\\S+ ){4}\\S+) in (?<zone>\\S+)");

  private Definitions() {}

  static Optional<FireTimes> read(String definition) {
    return Stream.of(
            read(ONCE, definition, found -> FireTimes.once(Instant.parse(found.group("instant")))),
            read(
                EVERY,
                definition,
                found -> FireTimes.every(Duration.parse(found.group("interval")))),
            read(
                CRON,
                definition,
                found -> FireTimes.cron(found.group("expression"), found.group("zone"))))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** A text of another release may look alike and not be valid here. */
  private static Optional<FireTimes> read(
      Pattern pattern, String definition, Function<Matcher, FireTimes> times) {
    Matcher matcher = pattern.matcher(definition);
    try {
      return matcher.matches() ? Optional.of(times.apply(matcher)) : Optional.empty();
    } catch (DateTimeException | RunlaneException invalid) {
      return Optional.empty();
    }
  }
}
