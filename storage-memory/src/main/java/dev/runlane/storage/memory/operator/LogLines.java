package dev.runlane.storage.memory.operator;

import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLine;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.kept.Pages;
import dev.runlane.storage.memory.run.Runs;
import dev.runlane.storage.read.Page;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What handlers wrote, by run. */
public final class LogLines {
  private final Runs runs;
  private final Map<String, NavigableMap<Place, LogLine>> ofRun = new HashMap<>();

  public LogLines(Runs runs) {
    this.runs = runs;
  }

  public void append(AppendLogLines command) {
    for (LogLine line : command.lines()) {
      if (runs.get(line.runId()) != null) {
        ofRun
            .computeIfAbsent(line.runId(), run -> new TreeMap<>())
            .putIfAbsent(new Place(line.attempt(), line.number()), line);
      }
    }
  }

  public Page<LogLine> list(ListLogLines query) {
    Cursors cursors = Cursors.of(query);
    NavigableMap<Place, LogLine> lines =
        ofRun.getOrDefault(query.runId(), Collections.emptyNavigableMap());
    NavigableMap<Place, LogLine> behind = cursors
        .decode(query.cursor(), 2)
        .map(after -> lines.tailMap(
            new Place(Cursors.number(after.get(0)), Cursors.number(after.get(1))), false))
        .orElse(lines);
    return Pages.of(
        behind.values().stream(),
        query.limit(),
        last -> cursors.encode(String.valueOf(last.attempt()), String.valueOf(last.number())));
  }

  /** Forgets what was written in a run. */
  public void removeOf(String runId) {
    ofRun.remove(runId);
  }

  private record Place(long attempt, long number) implements Comparable<Place> {
    private static final Comparator<Place> ORDER =
        Comparator.comparing(Place::attempt).thenComparing(Place::number);

    @Override
    public int compareTo(Place other) {
      return ORDER.compare(this, other);
    }
  }
}
