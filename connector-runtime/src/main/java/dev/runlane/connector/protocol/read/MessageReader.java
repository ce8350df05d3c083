package dev.runlane.connector.protocol.read;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.runlane.connector.protocol.message.Received;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.protocol.text.ReaderLimits;
import dev.runlane.connector.protocol.text.Utf8;
import java.io.IOException;

/**
 * Turns the lines of one connector into messages, checked against what the run may send. The checks of
 * order (what may follow what) are the run's own.
 *
 * <p>Keeps nothing of a line but what is in the message it returns, so the bytes may be used again.
 * Belongs to one thread at a time, and numbers the lines it reads.
 */
public final class MessageReader {
  private final ReaderLimits limits;
  private final Utf8 utf8 = new Utf8();
  private final RecordReader records;
  private final ControlReader controls;

  /** A reader of one connector's output. */
  public MessageReader(OutputChecks checks, ReaderLimits limits) {
    this.limits = limits;
    JsonFactory factory = JsonTrees.factory(limits);
    this.records = new RecordReader(factory, checks);
    this.controls = new ControlReader(factory, checks, limits);
  }

  /**
   * Reads a line without its end. Never throws for what a connector may have written.
   *
   * @param bytes holds the line from {@code offset} on
   * @param length its bytes
   * @param number which line of the output it is, from 1, blank ones counted
   */
  public Received read(byte[] bytes, int offset, int length, long number) {
    Received received = message(bytes, offset, length);
    return received instanceof Violation violation ? violation.atLine(number) : received;
  }

  /**
   * A line of which not all was read, because it is longer than a line may be.
   *
   * @param limitBytes how long it may be
   * @param number which line of the output it is
   */
  public static Violation lineTooLong(long limitBytes, long number) {
    return Violation.of(
            ViolationType.LINE_TOO_LONG, "the line is longer than " + limitBytes + " bytes")
        .atLine(number);
  }

  private Received message(byte[] bytes, int offset, int length) {
    boolean ascii = Utf8.isAscii(bytes, offset, length);
    boolean otherUnicode = beginsWithNul(bytes, offset, length);
    if (otherUnicode || (!ascii && !utf8.isValid(bytes, offset, length))) {
      return invalidJson("the line is not UTF-8");
    }
    try {
      Received record = records.read(bytes, offset, length, ascii);
      return record != null ? record : control(bytes, offset, length);
    } catch (RefusedMessage refused) {
      return refused.violation();
    } catch (StreamConstraintsException tooMuch) {
      return invalidJson("the line is nested too deep, holds too many values or too long a number");
    } catch (IOException malformed) {
      return invalidJson("the line is not one JSON object with each name once");
    }
  }

  /** The parser would take a line with NULs among its first four bytes for UTF-16 or UTF-32. */
  private static boolean beginsWithNul(byte[] bytes, int offset, int length) {
    for (int at = offset; at < offset + Math.min(length, Integer.BYTES); at++) {
      if (bytes[at] == 0) {
        return true;
      }
    }
    return false;
  }

  private Received control(byte[] bytes, int offset, int length) throws IOException {
    if (length > limits.maxControlBytes()) {
      return Violation.of(
          ViolationType.INVALID_MESSAGE,
          "a message that is no RECORD has more than " + limits.maxControlBytes() + " bytes");
    }
    return controls.read(bytes, offset, length);
  }

  private static Violation invalidJson(String why) {
    return Violation.of(ViolationType.INVALID_JSON, why);
  }
}
