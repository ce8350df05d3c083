package dev.runlane.example;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the program was asked to do.
 *
 * @param orders the file of orders
 * @param data the folder that keeps the data between starts
 * @param serving goes on after the last order is settled
 * @param resetting forgets what earlier starts left
 * @param overKafka works in three processes behind a Kafka broker
 * @param live rewrites one progress line in place, as only a terminal can
 */
record CommandLine(
    Path orders, Path data, boolean serving, boolean resetting, boolean overKafka, boolean live) {
  static final String USAGE =
      "usage: OrdersProgram --data FOLDER [--serve] [--reset] [--kafka] [--live] ORDERS.jsonl";

  /** Throws {@link UsageException} for anything else than {@link #USAGE} shows. */
  static CommandLine parse(List<String> arguments) {
    List<String> left = new ArrayList<>(arguments);
    boolean serving = left.remove("--serve");
    boolean resetting = left.remove("--reset");
    boolean overKafka = left.remove("--kafka");
    boolean live = left.remove("--live");
    int data = left.indexOf("--data");
    if (data < 0 || data + 1 >= left.size()) {
      throw new UsageException("--data FOLDER is missing; " + USAGE);
    }
    left.remove(data);
    String folder = left.remove(data);
    left.stream().filter(each -> each.startsWith("-")).findFirst().ifPresent(unknown -> {
      throw new UsageException("unknown option " + unknown + "; " + USAGE);
    });
    if (left.size() != 1) {
      throw new UsageException("exactly one file of orders is needed; " + USAGE);
    }
    return new CommandLine(
        Path.of(left.get(0)), Path.of(folder), serving, resetting, overKafka, live);
  }

  /** The program was started in a way it does not know; the message says which it does. */
  static final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
      super(message);
    }
  }
}
