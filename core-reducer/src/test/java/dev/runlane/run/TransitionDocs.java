package dev.runlane.run;

import static dev.runlane.run.TransitionTable.REJECTED;
import static java.util.stream.Collectors.joining;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Renders the transition table for the README. */
final class TransitionDocs {
  private final TransitionTable table;

  TransitionDocs(TransitionTable table) {
    this.table = table;
  }

  /** A Mermaid state diagram with one arrow for each pair of statuses. */
  String diagram() {
    Map<String, String> arrows = new LinkedHashMap<>();
    for (String from : table.statuses()) {
      for (EventKind kind : table.kinds()) {
        for (String to : targets(from, kind)) {
          arrows.merge(state(from) + " --> " + to, label(from, kind, to), (a, b) -> a + ", " + b);
        }
      }
    }
    Stream<String> ends = table.statuses().stream()
        .filter(
            status -> RunStatus.ofValue(status).filter(RunStatus::isTerminal).isPresent())
        .map(status -> "    " + status + " --> [*]");
    return Stream.concat(
            arrows.entrySet().stream()
                .map(arrow -> "    " + arrow.getKey() + ": " + arrow.getValue()),
            ends)
        .collect(joining("\n", "```mermaid\nstateDiagram-v2\n", "\n```\n"));
  }

  /** A Markdown table with a row for each event and a column for each status. */
  String markdown() {
    List<String> statuses = List.copyOf(table.statuses());
    return Stream.of(
            Stream.of(
                "| event | " + String.join(" | ", statuses) + " |",
                "|---".repeat(statuses.size() + 1) + "|"),
            table.kinds().stream().map(kind -> statuses.stream()
                .map(status -> cell(status, kind))
                .collect(joining(" | ", "| `" + kind + "` | ", " |"))))
        .flatMap(lines -> lines)
        .collect(joining("\n", "", "\n"));
  }

  private String cell(String status, EventKind kind) {
    List<String> targets = targets(status, kind);
    return targets.isEmpty()
        ? "–"
        : targets.stream()
            .map(to -> {
              String condition = condition(status, kind, to);
              return condition == null ? to : to + " if " + condition;
            })
            .collect(joining("; "));
  }

  private List<String> targets(String from, EventKind kind) {
    return table.situations().stream()
        .filter(situation -> situation.status().equals(from))
        .map(situation -> table.next(situation, kind))
        .filter(next -> !next.equals(REJECTED))
        .distinct()
        .toList();
  }

  private String label(String from, EventKind kind, String to) {
    String name = kind.toString().replaceFirst("^run\\.", "");
    String condition = condition(from, kind, to);
    return condition == null ? name : name + " (" + condition + ")";
  }

  /** What the possible conditions have in common, or null when every condition will do. */
  private String condition(String from, EventKind kind, String to) {
    List<String> conditions = table.conditions(from, kind, to);
    if (conditions.size() == table.conditionCount(from)) {
      return null;
    }
    return Stream.of("due", "lease expired", "leased", "started")
        .filter(word -> conditions.stream().allMatch(each -> has(each, word)))
        .collect(joining(" and "));
  }

  private static boolean has(String condition, String word) {
    return List.of(condition.split(" and ")).contains(word);
  }

  private static String state(String status) {
    return status.equals("none") ? "[*]" : status;
  }
}
