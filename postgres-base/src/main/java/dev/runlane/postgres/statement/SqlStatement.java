package dev.runlane.postgres.statement;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A statement by its name in the {@code .sql} file, and what its parameters are given. A constant of the code that
 * sends it; {@link SqlStatements#bind} finds the text and checks the names.
 *
 * @param <C> what the caller of the statement holds
 */
public final class SqlStatement<C extends @Nullable Object> {
  private final String name;
  private final Parameters<C> parameters;
  private final Map<String, String> variant;

  private SqlStatement(String name, Parameters<C> parameters, Map<String, String> variant) {
    this.name = name;
    this.parameters = parameters;
    this.variant = variant;
  }

  /** The statement of this name. */
  public static <C extends @Nullable Object> SqlStatement<C> of(
      String name, Parameters<C> parameters) {
    return new SqlStatement<>(name, parameters, Map.of());
  }

  /** A statement without parameters. */
  public static SqlStatement<@Nullable Void> plain(String name) {
    return new SqlStatement<>(name, new Parameters<>(), Map.of());
  }

  /**
   * The variant in which {@code {key}} stands for {@code value}, which may be a fragment, {@code "{name}"}. It comes
   * from the code that calls, never from input.
   */
  public SqlStatement<C> variant(String key, String value) {
    Map<String, String> more = new HashMap<>(variant);
    more.put(key, value);
    return new SqlStatement<>(name, parameters, Map.copyOf(more));
  }

  String name() {
    return name;
  }

  Parameters<C> parameters() {
    return parameters;
  }

  Map<String, String> variant() {
    return variant;
  }

  @Override
  public String toString() {
    return variant.isEmpty() ? name : name + " " + variant;
  }
}
