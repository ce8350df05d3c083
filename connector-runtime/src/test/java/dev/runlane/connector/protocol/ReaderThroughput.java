package dev.runlane.connector.protocol;

import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.read.MessageReader;
import dev.runlane.connector.protocol.start.StartScope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Prints how many small records one thread reads and checks in a second. Run by hand; asserts nothing. */
final class ReaderThroughput {
  private static final int LINES = 1_000_000;

  private ReaderThroughput() {}

  public static void main(String[] args) {
    byte[] line = Shelf.record(
            "books",
            "\"978-1-23456-7890\"",
            "{\"id\":\"978-1-23456-7890\",\"name\":\"Tides\",\"rating\":4,\"updated_at\":\"2026-02-11T09:00:00Z\"}")
        .getBytes(StandardCharsets.UTF_8);
    MessageReader open = Shelf.reader(StartScope.derived(Shelf.manifest(), null));
    MessageReader narrow = Shelf.reader("""
        {"name": "books", "fields": ["rating"], "time_range": {"since": "2026-01-01"}}""");
    for (int round = 0; round < 4; round++) {
      print("all of a stream", open, line);
      print("fields and time range", narrow, line);
    }
  }

  private static void print(String what, MessageReader reader, byte[] line) {
    long bytes = 0;
    long from = System.nanoTime();
    for (int i = 0; i < LINES; i++) {
      bytes += ((RecordMessage) reader.read(line, 0, line.length, 1)).lineBytes();
    }
    Duration took = Duration.ofNanos(System.nanoTime() - from);
    System.out.printf(
        "%s: %,d records of %d bytes a second%n",
        what, LINES * 1_000L / took.toMillis(), bytes / LINES);
  }
}
