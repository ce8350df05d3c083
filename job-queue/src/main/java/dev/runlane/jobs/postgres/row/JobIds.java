package dev.runlane.jobs.postgres.row;

import dev.runlane.timing.Ids;

/** Ids of jobs: {@code job_} and the time-ordered characters of any id. */
public final class JobIds {
  private static final String PREFIX = "job_";
  private static final int PREFIX_OF_TOKENS = 4;

  private JobIds() {}

  public static String next(Ids ids) {
    return PREFIX + ids.token().substring(PREFIX_OF_TOKENS);
  }
}
