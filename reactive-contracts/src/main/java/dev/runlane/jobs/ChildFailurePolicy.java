package dev.runlane.jobs;

/** What the final failure, cancellation or removal of a child does to its parent. The values never change. */
public enum ChildFailurePolicy {
  /** The parent fails at once. */
  FAIL("fail"),
  /** The child counts as done. */
  IGNORE("ignore"),
  /** The parent is removed. */
  REMOVE("remove");

  private final String value;

  ChildFailurePolicy(String value) {
    this.value = value;
  }

  /** The string that is stored. */
  public String value() {
    return value;
  }
}
