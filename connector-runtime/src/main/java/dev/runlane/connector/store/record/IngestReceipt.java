package dev.runlane.connector.store.record;

import java.util.List;

/**
 * What a sink did with a batch. Attempted is accepted plus rejected.
 *
 * @param attempted the records of the batch
 * @param accepted those that are stored now, be it that they changed nothing
 * @param rejected those that can never be stored
 * @param rejections why, for the first {@value #MOST_REJECTIONS} of them
 */
public record IngestReceipt(int attempted, int accepted, int rejected, List<Rejection> rejections) {
  /** Rejections that a receipt lists = {@value}. */
  public static final int MOST_REJECTIONS = 100;

  /** Copies the rejections. */
  public IngestReceipt {
    rejections = List.copyOf(rejections);
  }

  /**
   * Why one record was rejected.
   *
   * @param index its place in the batch, from 0
   * @param code such as {@code invalid_record_identity}
   */
  public record Rejection(int index, String code) {}
}
