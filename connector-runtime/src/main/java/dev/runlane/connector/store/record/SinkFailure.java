package dev.runlane.connector.store.record;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why a sink did not do what it was asked, without anything of what was sent or answered.
 *
 * @param reason stable, such as {@code rate_limit_error}: a terminal reason of a run
 * @param phase which call it was
 * @param origin where it comes from
 * @param httpStatus what an HTTP sink was answered, or null where no answer came or none is spoken
 * @param contentType of that answer, or null
 * @param bodyBytes of that answer as far as it was read, or null
 * @param transientFailure whether the same call may succeed later
 * @param message for people; at most 500 characters
 */
public record SinkFailure(
    String reason,
    Phase phase,
    Origin origin,
    @Nullable Integer httpStatus,
    @Nullable String contentType,
    @Nullable Long bodyBytes,
    boolean transientFailure,
    String message) {
  /** The grant was used up. */
  public static final String GRANT_CONSUMED = "grant_consumed";

  /** The grant's time is over. */
  public static final String GRANT_EXPIRED = "grant_expired";

  /** There is no such grant for this connection. */
  public static final String GRANT_INVALID = "grant_invalid";

  /** The grant was taken back. */
  public static final String GRANT_REVOKED = "grant_revoked";

  /** Records of the run that were stored are no longer there. */
  public static final String RECORDS_LOST = "stored_records_lost";

  /** The storage could not take a batch; nothing of it is stored. */
  public static final String STORAGE_ERROR = "ingest_batch_storage_error";

  /** Refuses null where the components say nothing else. */
  public SinkFailure {
    Objects.requireNonNull(reason);
    Objects.requireNonNull(phase);
    Objects.requireNonNull(origin);
    Objects.requireNonNull(message);
  }

  /** A failure of a sink that speaks no HTTP. */
  public static SinkFailure ofStorage(
      String reason, Phase phase, boolean transientFailure, String message) {
    return new SinkFailure(
        reason, phase, Origin.STORAGE, null, null, null, transientFailure, message);
  }

  /** A storage that has lost what it had stored of the run, as one does that went over to a standby that was behind. */
  public static SinkFailure ofLostRecords(Phase phase) {
    return ofStorage(
        RECORDS_LOST,
        phase,
        false,
        "records of this run that were stored are missing: the storage has lost them");
  }

  /** A grant that cannot be used, with one of the four codes. */
  public static SinkFailure ofGrant(String code, Phase phase) {
    return ofStorage(code, phase, false, "the grant cannot be used: " + code);
  }

  /** Which call of a sink failed. */
  public enum Phase {
    /** Records. */
    INGEST("ingest"),
    /** Reading cursors. */
    STATE_READ("state_read"),
    /** Storing a cursor. */
    STATE_COMMIT("state_commit");

    private final String value;

    Phase(String value) {
      this.value = value;
    }

    /** The string that is shown. */
    public String value() {
      return value;
    }
  }

  /** Where a failure comes from. */
  public enum Origin {
    /** The database. */
    STORAGE("storage"),
    /** The way to a resource server, or that server. */
    TRANSPORT("transport");

    private final String value;

    Origin(String value) {
      this.value = value;
    }

    /** The string that is shown. */
    public String value() {
      return value;
    }
  }
}
