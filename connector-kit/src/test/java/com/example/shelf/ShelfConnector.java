package com.example.shelf;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connectorkit.Connector;
import dev.runlane.connectorkit.ConnectorOptions;
import dev.runlane.connectorkit.ConnectorRun;
import dev.runlane.connectorkit.message.ConnectorRecord;
import dev.runlane.connectorkit.message.Progress;
import dev.runlane.connectorkit.message.StreamScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Collects the books of a file, one JSON object a line: ShelfConnector manifest.json books.jsonl */
public final class ShelfConnector {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] arguments) {
    Path shelf = Path.of(arguments[1]);
    Connector.run(
        new ConnectorOptions().setManifest(Path.of(arguments[0])), run -> collect(run, shelf));
  }

  static void collect(ConnectorRun run, Path shelf) throws IOException {
    StreamScope books = run.start().stream("books").orElse(null);
    if (books == null) {
      return; // nobody asked for them
    }
    List<String> lines = Files.readAllLines(shelf);
    int known =
        run.start().cursor("books").map(cursor -> cursor.path("line").asInt()).orElse(0);
    run.progress(Progress.of("books", "Reading the shelf", known, lines.size()));
    for (String line : lines.subList(known, lines.size())) {
      ObjectNode book = (ObjectNode) JSON.readTree(line);
      String isbn = book.path("isbn").asText();
      ConnectorRecord record = ConnectorRecord.of("books", isbn, books.requestedFields(book));
      if (run.isInScope(record)) {
        run.record(record);
      }
    }
    run.state("books", JSON.createObjectNode().put("line", lines.size()));
  }
}
