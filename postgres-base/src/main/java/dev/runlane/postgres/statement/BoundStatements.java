package dev.runlane.postgres.statement;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An adapter's statements, each with its text and its parameters' order. */
public final class BoundStatements {
  private final Map<SqlStatement<?>, BoundStatement<?>> statements;

  BoundStatements(Map<SqlStatement<?>, BoundStatement<?>> statements) {
    this.statements = Map.copyOf(statements); // statements are equal only to themselves
  }

  /** Fails for one that was not bound, which is a fault of the caller. */
  @SuppressWarnings("unchecked") // bound from the very statement
  public <C extends @Nullable Object> BoundStatement<C> get(SqlStatement<C> statement) {
    BoundStatement<?> bound = statements.get(statement);
    if (bound == null) {
      throw new IllegalStateException("statement " + statement + " was not bound");
    }
    return (BoundStatement<C>) bound;
  }
}
