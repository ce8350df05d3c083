package dev.runlane.connector.store;

import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestReceipt;
import dev.runlane.json.StorableText;
import dev.runlane.run.Json;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch, split into what can be stored and what never can.
 *
 * @param accepted the records that can be stored, in order
 * @param receipt what the run is answered once they are
 */
public record CheckedBatch(List<RecordMessage> accepted, IngestReceipt receipt) {
  /** Most bytes of UTF-8 in a key = {@value}: what an index can hold, with room for the names before it. */
  public static final int MOST_KEY_BYTES = 1_024;

  private static final String INVALID_IDENTITY = "invalid_record_identity";
  private static final String MALFORMED = "malformed_ndjson";

  /** Looks at every record. Fails with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for a malformed batch. */
  public static CheckedBatch of(IngestBatch batch) {
    StoreChecks.requireBatch(batch);
    List<RecordMessage> accepted = new ArrayList<>(batch.records().size());
    List<IngestReceipt.Rejection> rejections = new ArrayList<>();
    for (int index = 0; index < batch.records().size(); index++) {
      RecordMessage record = batch.records().get(index);
      String code = rejection(record);
      if (code == null) {
        accepted.add(record);
      } else if (rejections.size() < IngestReceipt.MOST_REJECTIONS) {
        rejections.add(new IngestReceipt.Rejection(index, code));
      }
    }
    int attempted = batch.records().size();
    int rejected = attempted - accepted.size();
    return new CheckedBatch(
        accepted, new IngestReceipt(attempted, accepted.size(), rejected, rejections));
  }

  private static @Nullable String rejection(RecordMessage record) {
    if (!record.identified() || !isStorableKey(record.key())) {
      return INVALID_IDENTITY;
    }
    return StorableText.isStorable(record.emittedAt()) ? null : MALFORMED;
  }

  private static boolean isStorableKey(String key) {
    return !key.isEmpty()
        && key.length() <= MOST_KEY_BYTES
        && (key.length() <= MOST_KEY_BYTES / 3
            || Json.ofChecked(key).sizeInBytes() <= MOST_KEY_BYTES)
        && StorableText.isStorable(key);
  }
}
