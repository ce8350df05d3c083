package dev.runlane.timing.fire;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.parser.CronParser;
import dev.runlane.run.RunlaneException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A checked cron expression.
 *
 * @param text its five fields with one space between
 */
record CronExpression(String text, Cron cron) {
  private static final List<String> FIELDS =
      List.of("minute", "hour", "day of month", "month", "day of week");
  private static final String PART =
      "(\\*|V(-V)?)(/[0-9]{1,2})?".replace("V", "([0-9]{1,2}|[A-Za-z]{3})");
  private static final Pattern FIELD = Pattern.compile(PART + "(," + PART + ")*");

  /**
   * Holds the expression to the documented syntax first, because the library also takes forms that are its own
   * ({@code ||}, {@code |}, a sign, a step without a start), then lets the library check names and ranges.
   */
  static CronExpression parse(String expression) {
    List<String> fields = List.of(expression.strip().split("\\s+"));
    if (fields.size() != FIELDS.size()) {
      throw RunlaneException.configurationInvalid(
          "a cron expression must have five fields, but '%s' has %d",
          expression, expression.isBlank() ? 0 : fields.size());
    }
    for (int i = 0; i < fields.size(); i++) {
      if (!FIELD.matcher(fields.get(i)).matches()) {
        throw RunlaneException.configurationInvalid(
            "the %s of the cron expression '%s' must be made of numbers, names, *, ranges, steps and lists, but is '%s'",
            FIELDS.get(i), expression, fields.get(i));
      }
    }
    return checked(String.join(" ", fields), expression);
  }

  private static CronExpression checked(String text, String expression) {
    try {
      CronParser parser =
          new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));
      // The library makes capitals of names by the language of the JVM, in which fri need not
      // become FRI.
      return new CronExpression(text, parser.parse(text.toUpperCase(Locale.ROOT)));
    } catch (IllegalArgumentException e) {
      throw RunlaneException.configurationInvalid(
              "the cron expression '%s' is invalid: %s", expression, String.valueOf(e.getMessage()))
          .causedBy(e);
    }
  }
}
