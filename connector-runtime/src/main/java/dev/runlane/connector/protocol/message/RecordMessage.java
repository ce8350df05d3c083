package dev.runlane.connector.protocol.message;

import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/**
 * RECORD: one record of a stream in scope. {@link #toString()} shows neither key nor data.
 *
 * @param stream the stream's name
 * @param key the key as one text: as sent, or for a key of several values the minified JSON array of them
 * @param compound whether the key was sent as a list
 * @param data the record's object exactly as it was written; null only for a deletion
 * @param emittedAt the instant the connector gives, as sent: any text that is not blank
 * @param deletion whether the record is to be removed
 * @param identified whether the data's values of the primary key are the key; true for a deletion without
 *     data and for a stream without primary key
 * @param lineBytes the size of its line, which bounds what it costs to hold it
 */
public record RecordMessage(
    String stream,
    String key,
    boolean compound,
    @Nullable Json data,
    String emittedAt,
    boolean deletion,
    boolean identified,
    int lineBytes)
    implements ConnectorMessage {

  @Override
  public String type() {
    return "RECORD";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.record(this);
  }

  @Override
  public String toString() {
    return "RECORD[" + stream + ", " + lineBytes + " bytes]";
  }
}
