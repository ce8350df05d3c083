package dev.runlane.runtime;

import dev.runlane.options.OptionSet;
import io.vertx.core.json.JsonObject;

/**
 * How a maintenance pass works: the options of the roles it goes through. Their delays and drain timeouts
 * mean nothing to a single pass. What is set and what is asked for are copies.
 */
public final class TickOptions extends RoleOptions<TickOptions> {
  private static final OptionSet OPTIONS = RoleOptions.options("a maintenance pass");

  /** The defaults of each role. */
  public TickOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public TickOptions(TickOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public TickOptions(JsonObject json) {
    super(OPTIONS, json);
  }
}
