package dev.runlane.postgres.statement;

import dev.runlane.run.RunlaneException;
import java.util.regex.Pattern;

/**
 * The name of a Postgres schema. Reserved words such as {@code order} or {@code user} are names like any other:
 * statements get it quoted.
 *
 * @param value a lower-case letter or underscore, then at most 62 of these and digits
 */
public record SchemaName(String value) {
  private static final Pattern VALID = Pattern.compile("[a-z_][a-z0-9_]{0,62}");
  private static final String OF_POSTGRES = "pg_";
  private static final String OF_THE_STANDARD = "information_schema";

  /** Throws {@code ConfigurationInvalid} on any other name, and on those that Postgres keeps to itself. */
  public SchemaName {
    if (!VALID.matcher(value).matches()) {
      throw RunlaneException.configurationInvalid(
          "a schema's name must match %s, but is %s", VALID, value);
    }
    if (value.startsWith(OF_POSTGRES) || value.equals(OF_THE_STANDARD)) {
      throw RunlaneException.configurationInvalid(
          "a schema cannot be named %s: Postgres keeps %s and names that begin with %s to itself",
          value, OF_THE_STANDARD, OF_POSTGRES);
    }
  }

  /** The name as it is written in SQL, in quotes: no word is reserved there. */
  public String sql() {
    return '"' + value + '"';
  }
}
