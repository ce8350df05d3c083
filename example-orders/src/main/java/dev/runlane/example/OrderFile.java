package dev.runlane.example;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a JSON Lines file holds. A bad line is kept as a rejection and spoils no other; empty lines mean
 * nothing.
 *
 * @param orders in the file's order, each id once
 * @param cancellations in the file's order
 * @param rejected the bad lines
 */
record OrderFile(
    List<Order> orders, List<Cancellation> cancellations, List<RejectedLine> rejected) {
  /**
   * A line that is neither an order nor a cancellation, and is skipped.
   *
   * @param number its place in the file, from 1
   * @param reason what is wrong with it
   */
  record RejectedLine(long number, String reason) {}

  OrderFile {
    orders = List.copyOf(orders);
    cancellations = List.copyOf(cancellations);
    rejected = List.copyOf(rejected);
  }

  /** Reads the whole file; bytes that are no UTF-8 spoil their line only. */
  static OrderFile read(Path file) throws IOException {
    Contents contents = new Contents();
    try (BufferedReader lines = new BufferedReader(
        new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
      long number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        contents.add(number, number == 1 ? withoutByteOrderMark(line) : line);
      }
    }
    return new OrderFile(contents.orders, contents.cancellations, contents.rejected);
  }

  private static String withoutByteOrderMark(String line) {
    return line.startsWith("\uFEFF") ? line.substring(1) : line;
  }

  private static final class Contents {
    private final List<Order> orders = new ArrayList<>();
    private final List<Cancellation> cancellations = new ArrayList<>();
    private final List<RejectedLine> rejected = new ArrayList<>();
    private final Map<String, Long> lineOfOrder = new HashMap<>();

    void add(long number, String line) {
      if (line.isBlank()) {
        return;
      }
      try {
        OrderLine.read(line).accept(order -> add(number, order), cancellations::add);
      } catch (OrderLine.BadLine bad) {
        rejected.add(new RejectedLine(number, bad.reason()));
      }
    }

    private void add(long number, Order order) {
      Long earlier = lineOfOrder.putIfAbsent(order.id(), number);
      if (earlier == null) {
        orders.add(order);
      } else {
        rejected.add(new RejectedLine(
            number, "order " + order.id() + " is on line " + earlier + " already"));
      }
    }
  }
}
