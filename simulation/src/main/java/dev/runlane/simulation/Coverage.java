package dev.runlane.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Which lines of the runtime's rooms the simulator has reached: JaCoCo's report in XML, and of what was not reached
 * each line with its source. Verticles, in whose place the simulator starts the roles, and options are left out.
 */
final class Coverage {
  /** The rooms whose every line is to be reached, or named in the README with the reason why not. */
  static final List<String> ROOMS =
      List.of("attempt", "lease", "maintenance", "publish", "remote", "steps", "worker");

  private static final String BASE = "dev/runlane/runtime/";
  private static final Path SOURCES = Path.of("..", "runtime-verticles", "src", "main", "java");

  private final Map<String, Room> rooms = new TreeMap<>();

  private Coverage() {}

  /** Reads JaCoCo's report. */
  static Coverage of(Path xml) {
    Coverage coverage = new Coverage();
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    try (InputStream report = Files.newInputStream(xml)) {
      coverage.read(factory.createXMLStreamReader(report));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (XMLStreamException failure) {
      throw new IllegalStateException(xml + " is no report of JaCoCo", failure);
    }
    return coverage;
  }

  /** Prints how many lines of each room were reached, and those that were not. */
  void print(PrintStream out) {
    rooms.forEach((name, room) -> out.printf(
        Locale.ROOT,
        "%-12s %5d of %5d lines reached%n",
        name,
        room.lines - room.missed.size(),
        room.lines));
    rooms.forEach((name, room) -> room.missed.forEach(line -> out.println(name + "/" + line)));
  }

  private void read(XMLStreamReader report) throws XMLStreamException {
    String room = "";
    String file = "";
    boolean isRole = false;
    List<String> source = List.of();
    while (report.hasNext()) {
      if (report.next() != XMLStreamConstants.START_ELEMENT) {
        continue;
      }
      switch (report.getLocalName()) {
        case "package" -> room = room(report.getAttributeValue(null, "name"));
        case "sourcefile" -> {
          file = report.getAttributeValue(null, "name");
          isRole = !file.endsWith("Verticle.java") && !file.endsWith("Options.java");
          source = room.isEmpty() ? List.of() : source(room, file);
        }
        case "line" -> {
          if (!room.isEmpty() && isRole) {
            int number = Integer.parseInt(report.getAttributeValue(null, "nr"));
            boolean isMissed = report.getAttributeValue(null, "ci").equals("0");
            Room of = rooms.computeIfAbsent(room, first -> new Room());
            of.lines++;
            if (isMissed) {
              of.missed.add(file + ":" + number + ": " + source.get(number - 1).strip());
            }
          }
        }
        default -> {
          // counters, which the lines make
        }
      }
    }
  }

  /** The room with this package's name; empty where it is none of them. */
  private static String room(String packageName) {
    String name = packageName.startsWith(BASE) ? packageName.substring(BASE.length()) : "";
    return ROOMS.contains(name) ? name : "";
  }

  private static List<String> source(String room, String file) {
    try {
      return Files.readAllLines(SOURCES.resolve(BASE + room).resolve(file));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static final class Room {
    private final List<String> missed = new ArrayList<>();
    private int lines;
  }
}
