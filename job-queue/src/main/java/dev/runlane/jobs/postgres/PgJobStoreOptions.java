package dev.runlane.jobs.postgres;

import static dev.runlane.options.OptionTypes.nested;

import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.postgres.options.PgBatchOptions;
import io.vertx.core.json.JsonObject;

/** How a {@link PgJobStore} uses Postgres. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class PgJobStoreOptions extends PgBatchOptions<PgJobStoreOptions> {
  private static final OptionSet OPTIONS = PgBatchOptions.options("a Postgres job store");
  private static final Option<JobStoreOptions> STORE = OPTIONS.add(
      "store", new JobStoreOptions(), nested(JobStoreOptions::new, JobStoreOptions::new));

  /** The defaults: Postgres on the local machine as the client's own defaults say. */
  public PgJobStoreOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public PgJobStoreOptions(PgJobStoreOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public PgJobStoreOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The options that every job store has. A copy. */
  public JobStoreOptions getStoreOptions() {
    return get(STORE);
  }

  /** Sets the options of every job store. */
  public PgJobStoreOptions setStoreOptions(JobStoreOptions store) {
    return set(STORE, store);
  }
}
