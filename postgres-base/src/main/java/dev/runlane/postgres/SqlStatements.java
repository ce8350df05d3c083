package dev.runlane.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Statements from resources, each under a line {@code -- name: the_name}. The schema is filled in, quoted, for
 * {@code {schema}} once, when the statements are loaded, and comments are left out of what is sent.
 */
public final class SqlStatements {
  private static final String NAME = "-- name:";

  private final Map<String, String> statements;

  private SqlStatements(Map<String, String> statements) {
    this.statements = statements;
  }

  /** Loads resources that lie beside {@code owner}. Fails when one is missing or a name occurs twice. */
  public static SqlStatements load(Class<?> owner, SchemaName schema, String... resources) {
    Map<String, String> statements = new LinkedHashMap<>();
    for (String resource : resources) {
      split(resource, resourceText(owner, resource).replace("{schema}", schema.sql()), statements);
    }
    return new SqlStatements(statements);
  }

  /** The statement of this name. Fails when there is none, which is a fault of the caller. */
  public String get(String name) {
    String statement = statements.get(name);
    if (statement == null) {
      throw new IllegalStateException(
          "there is no statement " + name + " among " + statements.keySet());
    }
    return statement;
  }

  /**
   * A variant of a statement: {@code {key}} is replaced by its value. The values come from the code that
   * calls, never from input.
   */
  public String get(String name, Map<String, String> variant) {
    String statement = get(name);
    for (Map.Entry<String, String> entry : variant.entrySet()) {
      statement = statement.replace("{" + entry.getKey() + "}", entry.getValue());
    }
    return statement;
  }

  /** The texts of all statements, as they are sent. */
  public Collection<String> texts() {
    return Collections.unmodifiableCollection(statements.values());
  }

  static String resourceText(Class<?> owner, String resource) {
    try (InputStream stream = owner.getResourceAsStream(resource)) {
      if (stream == null) {
        throw new IllegalStateException("there is no resource " + resource + " beside " + owner);
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void split(String resource, String text, Map<String, String> into) {
    String name = null;
    StringBuilder statement = new StringBuilder();
    for (String line : (text + "\n" + NAME).lines().toList()) {
      if (line.startsWith(NAME)) {
        if (name != null && into.put(name, statement.toString().strip()) != null) {
          throw new IllegalStateException(
              "statement " + name + " occurs twice, again in " + resource);
        }
        name = line.substring(NAME.length()).strip();
        statement.setLength(0);
      } else if (!line.stripLeading().startsWith("--")) {
        statement.append(line).append('\n');
      }
    }
  }
}
