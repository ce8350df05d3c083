package dev.runlane.console;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/** Reads a stream of server-sent events. */
final class EventReader implements AutoCloseable {
  private final BufferedReader lines;

  EventReader(InputStream body) {
    lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }

  /** The next event of which this holds; those before are passed over. */
  Event next(Predicate<Event> isWanted) {
    Event event;
    do {
      event = next();
    } while (!isWanted.test(event));
    return event;
  }

  /** The next change of a run. */
  JsonObject change(String runId, String type) {
    return next(event -> event.name().equals("run")
            && event.data().getString("runId").equals(runId)
            && event.data().getString("type").equals(type))
        .data();
  }

  /** What follows up to the next empty line. */
  Event next() {
    String name = "";
    String id = "";
    JsonObject data = new JsonObject();
    for (String line = line(); !line.isEmpty(); line = line()) {
      String value = line.substring(line.indexOf(':') + 1).strip();
      if (line.startsWith("event:")) {
        name = value;
      } else if (line.startsWith("id:")) {
        id = value;
      } else if (line.startsWith("data:")) {
        data = new JsonObject(value);
      }
    }
    return new Event(name, id, data);
  }

  /** Whether nothing follows any more. */
  boolean isOver() {
    try {
      return lines.readLine() == null;
    } catch (IOException cutOff) {
      return true;
    }
  }

  private String line() {
    try {
      String line = lines.readLine();
      if (line == null) {
        throw new AssertionError("the stream has ended");
      }
      return line;
    } catch (IOException broken) {
      throw new AssertionError(broken);
    }
  }

  @Override
  public void close() {
    try {
      lines.close();
    } catch (IOException broken) {
      throw new AssertionError(broken);
    }
  }

  /** One event; without a name where only an id or a comment came. */
  record Event(String name, String id, JsonObject data) {}
}
