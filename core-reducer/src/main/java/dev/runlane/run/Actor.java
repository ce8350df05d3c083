package dev.runlane.run;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who caused an event.
 *
 * @param type the kind of actor
 * @param id who exactly, such as a login name; null where nobody in particular
 */
public record Actor(Type type, @Nullable String id) {
  /** Refuses a null type. */
  public Actor {
    Objects.requireNonNull(type);
  }

  /** A person or tool acting through the operator API. */
  public static Actor operator(String id) {
    return new Actor(Type.OPERATOR, id);
  }

  /** The kinds of actor. The string values never change. */
  public enum Type {
    /** Runlane itself, on behalf of nobody. */
    SYSTEM("system"),
    /** A person or tool acting through the operator API. */
    OPERATOR("operator");

    private final String value;

    Type(String value) {
      this.value = value;
    }

    /** The string that is stored and sent. */
    public String value() {
      return value;
    }
  }
}
