package dev.runlane.console.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.timing.FutureLoop;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;

/** A run's whole history as one JSON file, a page at a time, so that no more than a page is in memory. */
final class HistoryFile implements Answer {
  private static final int PAGE = 200;

  private final Runs runs;
  private final String runId;
  private final RunBodies bodies;
  private final ObjectNode run;
  private final Caller caller;
  private String separator = ""; // before the next event

  HistoryFile(Runs runs, String runId, RunBodies bodies, ObjectNode run, Caller caller) {
    this.runs = runs;
    this.runId = runId;
    this.bodies = bodies;
    this.run = run;
    this.caller = caller;
  }

  /** A page that cannot be read breaks the connection off: what was sent is no whole JSON. */
  @Override
  public Future<?> send(HttpServerResponse response) {
    response
        .setStatusCode(200)
        .setChunked(true)
        .putHeader("content-type", "application/json")
        .putHeader("content-disposition", "attachment; filename=\"history.json\"");
    return response
        .write("{\"run\":" + JsonTexts.write(run) + ",\"events\":[")
        .compose(begun -> FutureLoop.pages(cursor -> page(response, cursor)))
        .compose(written -> response.end("]}"));
  }

  /** Writes a page; completes with the cursor of the next one, or null where there is none. */
  private Future<@Nullable String> page(HttpServerResponse response, @Nullable String cursor) {
    return runs.events(runId, RunEventSort.HISTORY, PAGE, cursor).compose(page -> {
      StringBuilder text = new StringBuilder();
      for (RunEventRecord event : page.data()) {
        text.append(separator).append(JsonTexts.write(bodies.event(event, caller)));
        separator = ",\n";
      }
      return response.write(text.toString()).map(written -> page.nextCursor());
    });
  }
}
