package dev.runlane.connector.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A batch, told apart into what can be stored and what never can.
 *
 * @param accepted the records that can be stored, in order
 * @param receipt what the run is told once they are
 */
public record CheckedBatch(List<SinkRecord> accepted, IngestReceipt receipt) {
  /** Looks at every record. Fails with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for a malformed batch. */
  public static CheckedBatch of(IngestBatch batch) {
    StoreChecks.requireBatch(batch);
    RecordIdentity identity = new RecordIdentity(batch.primaryKey());
    List<SinkRecord> accepted = new ArrayList<>(batch.records().size());
    List<IngestReceipt.Rejection> rejections = new ArrayList<>();
    for (int index = 0; index < batch.records().size(); index++) {
      SinkRecord record = batch.records().get(index);
      Optional<String> code = identity.rejection(record);
      if (code.isEmpty()) {
        accepted.add(record);
      } else if (rejections.size() < IngestReceipt.MOST_REJECTIONS) {
        rejections.add(new IngestReceipt.Rejection(index, code.get()));
      }
    }
    int attempted = batch.records().size();
    int rejected = attempted - accepted.size();
    return new CheckedBatch(
        accepted, new IngestReceipt(attempted, accepted.size(), rejected, rejections));
  }
}
