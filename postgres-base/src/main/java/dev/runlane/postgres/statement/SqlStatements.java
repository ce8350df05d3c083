package dev.runlane.postgres.statement;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Statements from resources, each under a line {@code -- name: the_name}, and parts of statements, each under a line
 * {@code -- fragment: the_name}. Parameters have names, {@code :run_ids}. A fragment stands where {@code {the_name}}
 * does, also in another fragment, and {@code {schema}} is the schema, quoted. Comments are left out of what is sent.
 */
public final class SqlStatements {
  private static final String NAME = "-- name:";
  private static final String FRAGMENT = "-- fragment:";
  private static final Pattern REFERENCE = Pattern.compile("\\{([a-z_][a-z0-9_]*)}");

  private final Map<String, String> statements;
  private final Map<String, String> fragments;

  private SqlStatements(Map<String, String> statements, Map<String, String> fragments) {
    this.statements = statements;
    this.fragments = fragments;
  }

  /**
   * Loads resources. Fails when one is missing or a name occurs twice.
   *
   * @param folder opens a resource, as {@code Owner.class::getResourceAsStream} does: written in the module that has
   *     the resources, since no other may open them
   * @param schema what {@code {schema}} stands for
   * @param resources their names in {@code folder}
   */
  public static SqlStatements load(
      Function<String, @Nullable InputStream> folder, SchemaName schema, String... resources) {
    SqlStatements loaded = new SqlStatements(new LinkedHashMap<>(), new HashMap<>());
    loaded.fragments.put("schema", schema.sql());
    for (String resource : resources) {
      loaded.add(resource, resourceText(folder, resource));
    }
    return loaded;
  }

  /** The same with one more fragment, whose text comes from the code that calls, never from input. */
  public SqlStatements with(String fragment, String text) {
    Map<String, String> more = new HashMap<>(fragments);
    if (more.put(fragment, text) != null) {
      throw new IllegalStateException("there is a fragment " + fragment + " already");
    }
    return new SqlStatements(statements, more);
  }

  /**
   * Finds the text of each statement and checks its parameters. Fails, with the statement and the name, when there is
   * no such statement or fragment, when a parameter is named in the text and not in the code or the other way round,
   * and when the resources have a statement that nobody sends.
   */
  public BoundStatements bind(Placeholders placeholders, Collection<SqlStatement<?>> sent) {
    Map<SqlStatement<?>, BoundStatement<?>> bound = new HashMap<>();
    Set<String> unsent = new TreeSet<>(statements.keySet());
    for (SqlStatement<?> statement : sent) {
      bound.put(statement, bound(statement, placeholders));
      unsent.remove(statement.name());
    }
    if (!unsent.isEmpty()) {
      throw new IllegalStateException("nobody sends these statements: " + unsent);
    }
    return new BoundStatements(bound);
  }

  /**
   * One statement for a driver of JDBC, whatever else the resources have. Fails as {@link #bind} does when there is no
   * such statement or its parameters are others.
   */
  public <C extends @Nullable Object> MarkedStatement<C> marked(SqlStatement<C> statement) {
    try {
      String text = filled(text(statement.name()), statement.variant(), new ArrayDeque<>());
      return MarkedStatement.of(statement, SqlText.parse(text, Placeholders.QUESTION_MARKS));
    } catch (IllegalStateException fault) {
      throw new IllegalStateException("statement " + statement + ": " + fault.getMessage(), fault);
    }
  }

  private BoundStatement<?> bound(SqlStatement<?> statement, Placeholders placeholders) {
    try {
      String text = filled(text(statement.name()), statement.variant(), new ArrayDeque<>());
      return BoundStatement.of(statement, placeholders, SqlText.parse(text, placeholders));
    } catch (IllegalStateException fault) {
      throw new IllegalStateException("statement " + statement + ": " + fault.getMessage(), fault);
    }
  }

  private String filled(String text, Map<String, String> variant, Deque<String> within) {
    Matcher references = REFERENCE.matcher(text);
    return references.replaceAll(
        reference -> Matcher.quoteReplacement(reference(reference, variant, within)));
  }

  private String reference(
      MatchResult reference, Map<String, String> variant, Deque<String> within) {
    String name = reference.group(1);
    String text = variant.containsKey(name) ? variant.get(name) : fragments.get(name);
    if (text == null || within.contains(name)) {
      throw new IllegalStateException(
          (text == null ? "there is no fragment " : "within itself stands fragment ") + name);
    }
    within.push(name);
    String filled = filled(text, variant, within);
    within.pop();
    return filled;
  }

  private String text(String name) {
    String statement = statements.get(name);
    if (statement == null) {
      throw new IllegalStateException(
          "there is no statement " + name + " among " + statements.keySet());
    }
    return statement;
  }

  /** The text of one resource. Fails when it is missing. */
  public static String resourceText(
      Function<String, @Nullable InputStream> folder, String resource) {
    try (InputStream stream = folder.apply(resource)) {
      if (stream == null) {
        throw new IllegalStateException("there is no resource " + resource);
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void add(String resource, String text) {
    Part part = null;
    for (String line : text.lines().toList()) {
      if (line.startsWith(NAME)) {
        add(resource, part);
        part = new Part(statements, line.substring(NAME.length()).strip());
      } else if (line.startsWith(FRAGMENT)) {
        add(resource, part);
        part = new Part(fragments, line.substring(FRAGMENT.length()).strip());
      } else if (part != null && !line.stripLeading().startsWith("--")) {
        part.text.append(line).append('\n');
      }
    }
    add(resource, part);
  }

  private static void add(String resource, @Nullable Part part) {
    if (part != null && part.into.put(part.name, part.text.toString().strip()) != null) {
      throw new IllegalStateException(part.name + " occurs twice, again in " + resource);
    }
  }

  private record Part(Map<String, String> into, String name, StringBuilder text) {
    Part(Map<String, String> into, String name) {
      this(into, name, new StringBuilder());
    }
  }
}
