package dev.runlane.jobs.postgres.row;

import io.vertx.core.Future;
import java.util.function.Function;

/** Where several statements are one transaction. */
public interface JobTransactions {
  /** Does all or nothing of {@code work}. */
  <T> Future<T> run(String operation, Function<JobSession, Future<T>> work);
}
