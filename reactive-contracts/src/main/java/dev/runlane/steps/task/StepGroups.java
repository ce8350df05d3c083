package dev.runlane.steps.task;

import org.jspecify.annotations.Nullable;

/** The names of groups, as every implementation of the tables makes them. */
public final class StepGroups {
  private static final String DEFAULT_PARTITION = "default";

  private StepGroups() {}

  /**
   * The group of a step: its name with every {@code ':'} replaced by {@code '-'}, then {@code
   * @<partition>}. Two names may share a group, {@code a:b} and {@code a-b} for example; then every worker
   * of it needs the handlers of both.
   *
   * @param partition null, empty and {@code default} stand for none
   */
  public static String token(String name, @Nullable String partition) {
    String token = name.replace(':', '-');
    boolean none = partition == null || partition.isEmpty() || partition.equals(DEFAULT_PARTITION);
    return none ? token : token + "@" + partition;
  }
}
