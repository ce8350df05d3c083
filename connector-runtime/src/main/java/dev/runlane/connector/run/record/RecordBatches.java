package dev.runlane.connector.run.record;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.manifest.ManifestStream;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.run.state.Faults;
import dev.runlane.connector.run.state.Retries;
import dev.runlane.connector.run.state.RunFault;
import dev.runlane.connector.run.state.RunFaultException;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.connector.run.state.TimelineWriter;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.IngestReceipt;
import dev.runlane.connector.store.record.LastBatch;
import dev.runlane.connector.store.timeline.TimelineEventType;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The records of one run between the child and the sink: buffered by stream, sent in batches, one at a time,
 * counted. Belongs to the run's context. Its futures fail with {@link RunFaultException} alone.
 */
public final class RecordBatches {
  /** One for all, since most messages wait for nothing. */
  public static final Future<Void> NOTHING_TO_WAIT_FOR = Future.succeededFuture();

  private final RunParts parts;
  private final TimelineWriter timelineWriter;
  private final Retries retries;
  private final BooleanSupplier goOn;
  private final Consumer<String> onUnknownStream;
  private final Map<String, Stream> streams = new LinkedHashMap<>();
  private final Counts counts = new Counts();
  private final long batchBytes;
  private long bufferedBytes;

  /**
   * Batches of one run.
   *
   * @param goOn whether a call that failed is worth making again
   * @param onUnknownStream called once for each stream the sink does not know
   */
  public RecordBatches(
      RunParts parts,
      TimelineWriter timelineWriter,
      Retries retries,
      BooleanSupplier goOn,
      Consumer<String> onUnknownStream) {
    this.parts = parts;
    this.timelineWriter = timelineWriter;
    this.retries = retries;
    this.goOn = goOn;
    this.onUnknownStream = onUnknownStream;
    this.batchBytes = Math.min(parts.options().getBatchBytes(), parts.sink().maxBatchBytes());
    parts.request().scope().names().forEach(name -> {
      ManifestStream declared = parts.request().manifest().stream(name).orElseThrow();
      streams.put(name, new Stream(name, declared.semantics()));
    });
  }

  /** Takes a record, and answers what to wait for before the next. */
  public Future<Void> add(RecordMessage record) {
    Stream stream = stream(record.stream());
    counts.emitted++;
    stream.emitted++;
    if (stream.bytes > 0 && stream.bytes + record.lineBytes() > batchBytes) {
      return flush(stream).map(sent -> {
        buffer(stream, record);
        return null;
      });
    }
    buffer(stream, record);
    if (stream.records.size() >= parts.options().getBatchRecords() || stream.bytes >= batchBytes) {
      return flush(stream);
    }
    return bufferedBytes >= parts.options().getBufferedBytes()
        ? flush(largest())
        : NOTHING_TO_WAIT_FOR;
  }

  /** Sends what is left of a stream. */
  public Future<Void> flush(String stream) {
    return flush(stream(stream));
  }

  /** Sends what is left of all streams, one after another. */
  public Future<Void> flushAll() {
    Future<Void> sent = Future.succeededFuture();
    for (Stream stream : streams.values()) {
      sent = sent.compose(before -> flush(stream));
    }
    return sent;
  }

  /** Gives up what is left. */
  public void drop() {
    streams.values().forEach(stream -> {
      counts.dropped += stream.records.size();
      stream.clear();
    });
    bufferedBytes = 0;
  }

  /** Whether the sink said that it does not know the stream. */
  public boolean isUnknown(String stream) {
    return stream(stream).unknown;
  }

  /** How many records of the stream came. */
  public long emitted(String stream) {
    return stream(stream).emitted;
  }

  /** How many records of the stream the sink has taken. */
  public long accepted(String stream) {
    return stream(stream).accepted;
  }

  /** The last batch of each stream that the sink has taken. */
  public List<LastBatch> taken() {
    return streams.values().stream()
        .filter(stream -> stream.taken > 0)
        .map(stream -> new LastBatch(stream.name, stream.taken))
        .toList();
  }

  /** The counts up to now. */
  public Counts counts() {
    return counts;
  }

  private void buffer(Stream stream, RecordMessage record) {
    if (stream.unknown) {
      counts.dropped++;
      return;
    }
    stream.records.add(record);
    stream.bytes += record.lineBytes();
    bufferedBytes += record.lineBytes();
  }

  private Stream stream(String name) {
    Stream stream = streams.get(name);
    if (stream == null) {
      throw new IllegalStateException("stream " + name + " is not in scope");
    }
    return stream;
  }

  private Stream largest() {
    return streams.values().stream()
        .max((one, other) -> Long.compare(one.bytes, other.bytes))
        .orElseThrow();
  }

  private Future<Void> flush(Stream stream) {
    if (stream.records.isEmpty()) {
      return Future.succeededFuture();
    }
    IngestBatch batch = new IngestBatch(
        parts.request().active().fence(),
        parts.request().active().run().connector(),
        stream.name,
        stream.semantics,
        ++stream.batches,
        stream.records,
        parts.clock().now());
    bufferedBytes -= stream.bytes;
    stream.clear();
    counts.attempted += batch.records().size();
    return retries
        .call(
            parts.options().getSinkAttempts(),
            goOn,
            () -> parts.sink().ingest(batch),
            RecordBatches::isPassing)
        .compose(outcome -> took(stream, batch, outcome), failure -> {
          counts.unresolved += batch.records().size();
          return Future.failedFuture(
              new RunFaultException(Faults.of("a batch could not be stored", failure)));
        });
  }

  private Future<Void> took(Stream stream, IngestBatch batch, IngestOutcome outcome) {
    int size = batch.records().size();
    if (outcome instanceof IngestOutcome.Stored stored) {
      stream.taken = batch.number();
      stored(stream, stored.receipt());
      return Future.succeededFuture();
    }
    if (outcome instanceof IngestOutcome.StreamUnknown) {
      counts.attempted -= size;
      counts.dropped += size;
      stream.unknown = true;
      onUnknownStream.accept(stream.name);
      return Future.succeededFuture();
    }
    if (outcome instanceof IngestOutcome.Refused refused) {
      if (refused.failure().transientFailure()) {
        counts.unresolved += size;
      } else {
        counts.refused += size;
      }
      return Future.failedFuture(new RunFaultException(
          RunFault.refused(refused.failure().reason(), refused.failure(), stream.name, size)));
    }
    return Future.failedFuture(new RunFaultException(RunFault.fencedOut()));
  }

  private void stored(Stream stream, IngestReceipt receipt) {
    stream.accepted += receipt.accepted();
    counts.accepted += receipt.accepted();
    counts.rejected += receipt.rejected();
    ObjectNode data = JsonNodeFactory.instance.objectNode();
    data.put("stream", stream.name);
    data.put("records_attempted", receipt.attempted());
    data.put("records_accepted", receipt.accepted());
    data.put("records_rejected", receipt.rejected());
    if (!receipt.rejections().isEmpty()) {
      data.put("first_rejection_code", receipt.rejections().get(0).code());
    }
    timelineWriter.append(TimelineEventType.BATCH_INGESTED, "succeeded", stream.name, data);
  }

  private static boolean isPassing(IngestOutcome outcome) {
    return outcome instanceof IngestOutcome.Refused refused && refused.failure().transientFailure();
  }

  /** What became of records, in numbers. */
  public static final class Counts {
    public long emitted; // accepted from the connector
    long attempted; // given to the sink
    long accepted; // stored
    long rejected; // can never be stored
    long unresolved; // given to the sink, which may take them later
    long refused; // given to the sink, which refused the batch
    long dropped; // never given to the sink

    private Counts() {}
  }

  /** One stream's buffer. */
  private static final class Stream {
    final String name;
    final ManifestStream.Semantics semantics;
    List<RecordMessage> records = new ArrayList<>();
    long bytes;
    long batches;
    long taken; // the last of them that is stored
    long emitted;
    long accepted;
    boolean unknown;

    Stream(String name, ManifestStream.Semantics semantics) {
      this.name = name;
      this.semantics = semantics;
    }

    void clear() {
      records = new ArrayList<>();
      bytes = 0;
    }
  }
}
