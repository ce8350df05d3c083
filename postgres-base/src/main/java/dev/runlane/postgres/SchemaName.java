package dev.runlane.postgres;

import dev.runlane.run.RunlaneException;
import java.util.regex.Pattern;

/**
 * The name of a Postgres schema that needs no quoting, so that it can be filled into statements.
 *
 * @param value a lower-case letter or underscore, then at most 62 of these and digits
 */
public record SchemaName(String value) {
  private static final Pattern VALID = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

  /** Throws {@code ConfigurationInvalid} on any other name. */
  public SchemaName {
    if (!VALID.matcher(value).matches()) {
      throw RunlaneException.configurationInvalid(
          "a schema's name must match %s, but is %s", VALID, value);
    }
  }
}
