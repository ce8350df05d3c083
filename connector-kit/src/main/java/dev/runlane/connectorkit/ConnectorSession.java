package dev.runlane.connectorkit;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runlane.connectorkit.message.ConnectorCancelled;
import dev.runlane.connectorkit.message.ConnectorFailure;
import dev.runlane.connectorkit.message.InvalidStart;
import dev.runlane.connectorkit.message.Start;
import dev.runlane.connectorkit.wire.EndHooks;
import dev.runlane.connectorkit.wire.Ending;
import dev.runlane.connectorkit.wire.ManifestRules;
import dev.runlane.connectorkit.wire.Messages;
import dev.runlane.connectorkit.wire.ProtocolInput;
import dev.runlane.connectorkit.wire.ProtocolOutput;
import dev.runlane.connectorkit.wire.Questions;
import dev.runlane.connectorkit.wire.ScopeCheck;
import dev.runlane.connectorkit.wire.StartReader;
import dev.runlane.connectorkit.wire.Submitted;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One run of a connector, from START to the end of its input. */
final class ConnectorSession {

  /** 128 + SIGTERM. */
  private static final int EXIT_TERMINATED = 143;

  private static final int EXIT_FAILED = 1;

  /** The runtime takes 10 000, and may write a number with an exponent that it came without. */
  private static final int MOST_NUMBER_CHARACTERS = 20_000;

  private final ConnectorOptions options;
  private final ConnectorBody body;

  /** START holds whatever cursor the runtime has stored; how long a line may be is the options' to say. */
  private final ObjectMapper mapper = JsonMapper.builder(JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder()
              .maxStringLength(Integer.MAX_VALUE)
              .maxNameLength(Integer.MAX_VALUE)
              .maxNumberLength(MOST_NUMBER_CHARACTERS)
              .build())
          .build())
      .enable(
          DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS) // cursors are handed back as they came
      .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
      .build();

  private final Submitted submitted = new Submitted();
  private final ProtocolInput input;
  private final ProtocolOutput output;
  private final Messages messages;
  private final EndHooks hooks = new EndHooks(this::report);
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean stopping;
  private volatile @Nullable Thread worker;

  ConnectorSession(InputStream in, OutputStream out, ConnectorOptions options, ConnectorBody body) {
    this.options = new ConnectorOptions(options);
    this.body = body;
    input = new ProtocolInput(in, options.getMaxLineBytes());
    output = new ProtocolOutput(out, options.getMaxLineBytes(), options.getFlushDelay());
    messages = new Messages(mapper, options.getClock(), submitted);
  }

  /** Runs the body in the calling thread. Returns the exit code. */
  int run() {
    worker = Thread.currentThread();
    try {
      return exchange();
    } catch (IOException
        | RuntimeException
        | Error broken) { // who calls ends the process with the code
      report("the run cannot go on", broken);
      return EXIT_FAILED;
    } catch (InterruptedException stopped) {
      return stopping ? EXIT_TERMINATED : EXIT_FAILED;
    } finally {
      output.abandon();
      over.countDown();
    }
  }

  /** Interrupts the body and waits for it and its hooks, for a bounded time. For SIGTERM. */
  void stop() {
    Thread running = worker;
    if (running == null || over.getCount() == 0) {
      return;
    }
    stopping = true;
    running.interrupt();
    try {
      if (!over.await(options.getStopWait().toMillis(), TimeUnit.MILLISECONDS)) {
        report("the connector did not stop within " + options.getStopWait(), null);
      }
    } catch (InterruptedException exiting) {
      Thread.currentThread().interrupt();
    }
  }

  private int exchange() throws IOException, InterruptedException {
    input.start();
    Ending ending = collect();
    if (stopping) {
      return EXIT_TERMINATED;
    }
    output.end(records -> messages.done(ending, records));
    input.awaitClose(options.getInputCloseWait());
    return ending.exitCode();
  }

  private Ending collect() throws IOException {
    try {
      body.collect(begin());
      return Ending.SUCCEEDED;
    } catch (ConnectorFailure failed) {
      report("failed with " + failed.code(), failed);
      return Ending.failed(failed);
    } catch (ConnectorCancelled cancelled) {
      return Ending.CANCELLED;
    } catch (InterruptedException interrupted) {
      return Ending.CANCELLED;
    } catch (IOException | RuntimeException | Error unexpected) {
      return stopping ? Ending.CANCELLED : unexpected(unexpected);
    } catch (Exception unexpected) {
      return unexpected(unexpected);
    } finally {
      Thread.interrupted(); // the hooks and DONE are not to be interrupted a second time
      hooks.run();
    }
  }

  private ConnectorRun begin() throws IOException, InterruptedException {
    byte[] line = input.next(null);
    if (line == null) {
      throw InvalidStart.because("the input ended before it");
    }
    Start start = new StartReader(mapper).read(line);
    ScopeCheck scope = new ScopeCheck(start, ManifestRules.read(mapper, options.getManifest()));
    Questions questions = new Questions(start, messages, input, output, submitted, mapper);
    return new ConnectorRun(start, scope, messages, output, questions, hooks, options);
  }

  private Ending unexpected(Throwable thrown) {
    report("unexpected failure", thrown);
    String message = thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
    return Ending.failed(new ConnectorFailure("unexpected_error", message));
  }

  private void report(String what, @Nullable Throwable thrown) {
    StringWriter text = new StringWriter();
    PrintWriter lines = new PrintWriter(text);
    lines.println("connector: " + what);
    if (thrown != null) {
      thrown.printStackTrace(lines);
    }
    System.err.print(submitted.redact(text.toString()));
    System.err.flush();
  }
}
