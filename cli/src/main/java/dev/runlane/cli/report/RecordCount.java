package dev.runlane.cli.report;

/**
 * What the sink took of one stream.
 *
 * @param accepted records, deletions included
 * @param deleted deletions
 * @param rejected records that no sink could store, such as one whose key is not that of its data
 * @param bytes of all their lines
 */
public record RecordCount(long accepted, long deleted, long rejected, long bytes) {
  static final RecordCount NONE = new RecordCount(0, 0, 0, 0);

  public RecordCount plus(RecordCount other) {
    return new RecordCount(
        accepted + other.accepted,
        deleted + other.deleted,
        rejected + other.rejected,
        bytes + other.bytes);
  }
}
