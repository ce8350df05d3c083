package dev.runlane.connector.store.record;

/**
 * One change of a record.
 *
 * @param sequence rises from change to change of a stream
 * @param runId the run that made it
 * @param record what it became
 */
public record RecordChange(long sequence, String runId, StoredRecord record) {}
