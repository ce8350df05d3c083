package dev.runlane.spring;

import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.storage.pg.PgStorageOptions;

/**
 * A bean that changes what the properties do not say. There may be several, called in Spring's order, each once for a
 * context and each with what the properties and those before it made. What one throws fails the start. Beans of the
 * application's own take the place of what is made of all this: with a {@code Lane} {@link #storage} is not called,
 * with a {@code Runlane} neither {@link #options} nor {@link #runtime}. In a {@code RunlaneTest} none is.
 */
public interface RunlaneCustomizer {
  /** Changes how the Postgres is used, such as the size of its pool. */
  default void storage(PgStorageOptions options) {}

  /** Changes limits and durations of the runtime, such as its leases. */
  default void options(RunlaneOptions options) {}

  /**
   * Changes the runtime before it is built: its step transport, the mapper of its payloads, more observers. It has the
   * application's tasks and queues by then, and {@link RunlaneBuilder#options} would replace those of {@link #options}.
   */
  default void runtime(RunlaneBuilder builder) {}

  /** Changes what is deployed where {@code runlane.work} is true, such as its roles. */
  default void deployment(RunlaneDeployment deployment) {}
}
