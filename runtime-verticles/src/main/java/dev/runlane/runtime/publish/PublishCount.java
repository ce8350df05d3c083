package dev.runlane.runtime.publish;

/**
 * What became of claimed outbox messages.
 *
 * @param published handed over to the transport
 * @param failed to be tried again later
 * @param deadLettered given up
 * @param moreWaiting whether a sweep ended at its bound rather than at the end of its work
 */
public record PublishCount(int published, int failed, int deadLettered, boolean moreWaiting) {
  /** Nothing was due. */
  public static final PublishCount NOTHING = new PublishCount(0, 0, 0, false);

  PublishCount plus(PublishCount other) {
    return new PublishCount(
        published + other.published,
        failed + other.failed,
        deadLettered + other.deadLettered,
        moreWaiting || other.moreWaiting);
  }

  PublishCount withMoreWaiting(boolean more) {
    return new PublishCount(published, failed, deadLettered, more);
  }
}
