package dev.runlane.connectorkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The runtime's side of a connector that runs in a thread of the test. */
public final class Conversation implements AutoCloseable {

  public static final ObjectMapper JSON = new ObjectMapper();

  private final PipedOutputStream toConnector = new PipedOutputStream();
  private final BufferedReader fromConnector;
  private final CompletableFuture<Integer> exitCode;

  private Conversation(ConnectorOptions options, ConnectorBody body) throws IOException {
    PipedInputStream in = new PipedInputStream(toConnector, 1 << 16);
    Pipe pipe = Pipe.open(); // a PipedInputStream fails once the thread that wrote last has ended
    OutputStream out = Channels.newOutputStream(pipe.sink());
    fromConnector = new BufferedReader(Channels.newReader(pipe.source(), UTF_8));
    exitCode = CompletableFuture.supplyAsync(
        () -> Connector.run(in, out, options, body), work -> new Thread(work).start());
  }

  public static Conversation with(ConnectorBody body) {
    return with(new ConnectorOptions(), body);
  }

  public static Conversation with(ConnectorOptions options, ConnectorBody body) {
    try {
      return new Conversation(options, body);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** One line to the connector; single quotes stand for double ones. */
  public Conversation say(String line) {
    try {
      toConnector.write((line.replace('\'', '"') + "\n").getBytes(UTF_8));
      toConnector.flush();
      return this;
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** The START of a run that collects streams a and b. */
  public Conversation start() {
    return say(
        "{'type':'START','run_id':'run_1','collection_mode':'incremental','scope':{'streams':"
            + "[{'name':'a'},{'name':'b'}]},'state':{'a':{'page':4}},"
            + "'bindings':{'network':{},'filesystem':{},'interactive':{}}}");
  }

  public JsonNode next() {
    try {
      return JSON.readTree(fromConnector.readLine());
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** All messages up to DONE, which is the last. */
  public List<JsonNode> untilDone() {
    List<JsonNode> messages = new ArrayList<>();
    do {
      messages.add(next());
    } while (!"DONE".equals(messages.get(messages.size() - 1).path("type").asText()));
    return messages;
  }

  public boolean isOver() {
    return exitCode.isDone();
  }

  /** The exit code of the connector, once its input has ended. */
  public int closeInput() {
    try {
      toConnector.close();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    return exitCode();
  }

  /** The exit code of a connector that ends by itself. */
  public int exitCode() {
    return exitCode.orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    closeInput();
  }
}
