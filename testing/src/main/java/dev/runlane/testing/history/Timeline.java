package dev.runlane.testing.history;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.operate.EventText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A history as lines of text. Heartbeats in a row are one line. */
final class Timeline {
  private Timeline() {}

  static String of(RunHistory history) {
    RunRecord run = history.run();
    Instant created = run.createdAt();
    List<String> lines = new ArrayList<>();
    lines.add("run %s of task %s is %s; created at %s"
        .formatted(run.id(), run.taskId(), run.status().value(), created));
    int heartbeats = 0;
    for (RunEvent event : history.events()) {
      boolean isHeartbeat = event.type() == RunEventType.LEASE_HEARTBEAT;
      heartbeats = isHeartbeat ? heartbeats + 1 : 0;
      if (heartbeats > 1) {
        lines.remove(lines.size() - 1);
      }
      lines.add(line(since(created, event), event, heartbeats));
    }
    return String.join("\n", lines);
  }

  private static String line(String since, RunEvent event, int heartbeats) {
    String text = heartbeats > 1 ? heartbeats + " times" : event.accept(new EventText());
    return String.format(Locale.ROOT, "  %16s  %-26s %s", since, event.type().value(), text)
        .stripTrailing();
  }

  private static String since(Instant created, RunEvent event) {
    Duration time = Duration.between(created, event.header().occurredAt());
    String clock = String.format(
        Locale.ROOT,
        "%02d:%02d:%02d.%03d",
        time.toHoursPart(),
        time.toMinutesPart(),
        time.toSecondsPart(),
        time.toMillisPart());
    return time.toDays() == 0 ? clock : time.toDays() + "d " + clock;
  }
}
