package dev.runlane.run;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The one table of every situation × every kind of event, read from {@code transitions.csv}. */
final class TransitionTable {
  static final String REJECTED = "rejected";

  private final Map<Situation, Map<EventKind, String>> rows = new LinkedHashMap<>();

  static TransitionTable read() {
    TransitionTable table = new TransitionTable();
    try {
      Files.readAllLines(Path.of("src/test/resources/transitions.csv")).stream()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(table::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return table;
  }

  private void add(String line) {
    String[] cells = line.split(", ", -1);
    RunEventType type = RunEventType.ofValue(cells[2]).orElseThrow();
    String twice = rows.computeIfAbsent(
            new Situation(cells[0], cells[1]), situation -> new LinkedHashMap<>())
        .put(new EventKind(type, cells[3]), cells[4]);
    if (twice != null) {
      throw new IllegalStateException("twice in the table: " + line);
    }
  }

  /** In the order of the file. */
  Set<Situation> situations() {
    return rows.keySet();
  }

  /** Statuses, and "none", in the order of the file. */
  Set<String> statuses() {
    return rows.keySet().stream().map(Situation::status).collect(toCollection(LinkedHashSet::new));
  }

  /** In the order of the file. */
  Set<EventKind> kinds() {
    return rows.values().stream()
        .flatMap(row -> row.keySet().stream())
        .collect(toCollection(LinkedHashSet::new));
  }

  /** The next status or {@link #REJECTED}. Throws when the pair is missing. */
  String next(Situation situation, EventKind kind) {
    String next = rows.getOrDefault(situation, Map.of()).get(kind);
    if (next == null) {
      throw new IllegalStateException("not in the table: " + situation + " x " + kind);
    }
    return next;
  }

  /** The kinds of event that are possible in a situation. */
  List<EventKind> possible(Situation situation) {
    return kinds().stream()
        .filter(kind -> !next(situation, kind).equals(REJECTED))
        .collect(toList());
  }

  /** The conditions under which {@code kind} leads from one status to another; empty: none. */
  List<String> conditions(String status, EventKind kind, String next) {
    return rows.keySet().stream()
        .filter(situation -> situation.status().equals(status))
        .filter(situation -> next(situation, kind).equals(next))
        .map(Situation::condition)
        .collect(toList());
  }

  /** How many conditions a status has. */
  long conditionCount(String status) {
    return rows.keySet().stream().filter(each -> each.status().equals(status)).count();
  }

  /** Every status a run can have. */
  static List<String> allStatuses() {
    return Arrays.stream(RunStatus.values()).map(RunStatus::value).collect(toList());
  }
}
