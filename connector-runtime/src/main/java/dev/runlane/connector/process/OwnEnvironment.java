package dev.runlane.connector.process;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The environment this process was started with, as the kernel shows it to every process of the same user in {@code
 * /proc/PID/environ}: a stretch of the process's own memory, which nothing clears by itself. What {@link System#getenv}
 * answers is Java's copy and stays.
 */
public final class OwnEnvironment {
  private static final Path ENVIRON = Path.of("/proc/self/environ");
  private static final Path STAT = Path.of("/proc/self/stat");
  private static final String MEMORY = "/proc/self/mem";
  private static final int START = 47; // field 50 of stat, counted from the one after the name

  private OwnEnvironment() {}

  /**
   * Overwrites the values of the variables whose names begin so; reads files, and blocks. Throws {@code
   * ConfigurationInvalid}, which names the names, where the kernel does not let it.
   */
  public static void forget(String prefix) {
    System.getenv(); // copied now, if it was not
    try {
      byte[] shown = Files.readAllBytes(ENVIRON);
      List<Value> values = valuesOf(shown, prefix);
      if (!values.isEmpty()) {
        overwrite(values);
      }
      List<Value> left = valuesOf(Files.readAllBytes(ENVIRON), prefix);
      if (!left.isEmpty()) {
        throw refused(left.stream().map(Value::name).toList());
      }
    } catch (IOException unreadable) {
      throw RunlaneException.of(
              ErrorCode.CONFIGURATION_INVALID, "the process's own environment cannot be looked at")
          .causedBy(unreadable);
    }
  }

  private static RunlaneException refused(List<String> names) {
    return RunlaneException.configurationInvalid(
        "the environment of this process holds secrets that every connector of the same user could"
            + " read, and they cannot be taken out: hand %s over in a pipe or a file instead",
        names);
  }

  private static List<Value> valuesOf(byte[] environment, String prefix) {
    List<Value> values = new ArrayList<>();
    int at = 0;
    for (int end = 0; end < environment.length; end++) {
      if (environment[end] == 0) {
        String entry = new String(environment, at, end - at, StandardCharsets.ISO_8859_1);
        int sign = entry.indexOf('=');
        if (entry.startsWith(prefix) && sign > 0 && sign + 1 < entry.length()) {
          values.add(new Value(entry.substring(0, sign), at + sign + 1, end));
        }
        at = end + 1;
      }
    }
    return values;
  }

  private static void overwrite(List<Value> values) throws IOException {
    String stat = Files.readString(STAT, StandardCharsets.ISO_8859_1);
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long start = Long.parseLong(fields[START]);
    try (RandomAccessFile memory = new RandomAccessFile(MEMORY, "rw")) {
      for (Value value : values) {
        memory.seek(start + value.from());
        memory.write(new byte[value.to() - value.from()]);
      }
    } catch (IOException notAllowed) {
      throw refused(values.stream().map(Value::name).toList()).causedBy(notAllowed);
    }
  }

  /** Where a value stands in the environment. */
  private record Value(String name, int from, int to) {}
}
