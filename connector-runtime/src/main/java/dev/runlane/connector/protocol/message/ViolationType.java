package dev.runlane.connector.protocol.message;

import java.util.Locale;

/** How a connector broke the protocol. The string values never change. */
public enum ViolationType {
  /** A record of a stream that is not in scope. */
  RECORD_FOR_UNDECLARED_STREAM,
  /** A record whose key, and resource field where there is one, are not among the asked resources. */
  RECORD_OUTSIDE_RESOURCES,
  /** A record with a field that was not asked for. */
  RECORD_OUTSIDE_FIELDS,
  /** A record whose time is missing, unreadable or not in the asked range. */
  RECORD_OUTSIDE_TIME_RANGE,
  /** A cursor of a stream that is not in scope. */
  STATE_FOR_UNDECLARED_STREAM,
  /** A cursor that is neither an object nor null, or too large. */
  STATE_CURSOR_INVALID,
  /** Progress of a stream that is not in scope. */
  PROGRESS_FOR_UNDECLARED_STREAM,
  /** A skip of a stream that is not in scope. */
  SKIP_FOR_UNDECLARED_STREAM,
  /** A question about a stream that is not in scope. */
  INTERACTION_FOR_UNDECLARED_STREAM,
  /** A note about a stream that is not in scope. */
  ASSISTANCE_FOR_UNDECLARED_STREAM,
  /** Details of a stream that is not in scope. */
  DETAIL_FOR_UNDECLARED_STREAM,
  /** Anything after DONE. */
  MESSAGE_AFTER_DONE,
  /** Anything while a question waits for its answer. */
  MESSAGE_WHILE_WAITING,
  /** A question although nobody was said to be there to answer. */
  INTERACTION_UNAVAILABLE,
  /** A line that is not one JSON object in UTF-8, or nested too deep, or with a name twice. */
  INVALID_JSON,
  /** A type nobody knows. */
  UNKNOWN_MESSAGE_TYPE,
  /** A member that is missing or not what it must be. */
  INVALID_MESSAGE,
  /** A line longer than the limit. */
  LINE_TOO_LONG,
  /** More output than a run may have. */
  TOO_MUCH_OUTPUT,
  /** DONE names another number of records than were sent. */
  RECORDS_EMITTED_MISMATCH,
  /** The exit code says something else than DONE did. */
  EXIT_CODE_MISMATCH;

  private final String value = name().toLowerCase(Locale.ROOT);

  /** The string that is stored, such as {@code record_outside_fields}. */
  public String value() {
    return value;
  }
}
