package dev.runlane.connector.process.line;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what a child is sent, on a thread of its own: a child that writes and does not read cannot stop the
 * reading of its output. A child that has closed its input is an outcome, never a failure.
 */
public final class StdinWriter implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(StdinWriter.class);
  private static final int CHUNK_BYTES = 64 << 10; // the JDK copies through a buffer of this size

  private final FileChannel channel;
  private final Context context;
  private final int maxBytes;

  // Guarded by this.
  private final Deque<Message> waiting = new ArrayDeque<>();
  private long waitingBytes; // the message being written included
  private boolean closing; // nothing more is taken

  /** One whose messages that wait hold at most {@code maxBytes} together. */
  public StdinWriter(FileChannel channel, Context context, int maxBytes) {
    this.channel = channel;
    this.context = context;
    this.maxBytes = maxBytes;
  }

  /** Queues what does not count against the bound: the gate's line, before all others. */
  public synchronized void writeFirst(byte[] bytes) {
    waiting.addFirst(new Message(bytes, 0, Promise.promise()));
    notifyAll();
  }

  /** Queues bytes to be written as they are. */
  public synchronized Future<WriteOutcome> write(byte[] bytes) {
    Message message = new Message(bytes, bytes.length, Promise.promise());
    if (closing) {
      return Future.succeededFuture(WriteOutcome.STDIN_CLOSED);
    }
    if (waitingBytes > 0 && waitingBytes + bytes.length > maxBytes) {
      return Future.succeededFuture(WriteOutcome.QUEUE_FULL);
    }
    waiting.add(message);
    waitingBytes += bytes.length;
    notifyAll();
    return message.written().future();
  }

  /** Takes nothing more; what is queued is still written, then the child sees the end of its input. */
  public synchronized void close() {
    closing = true;
    notifyAll();
  }

  /** Gives up what is queued, also what the child keeps waiting. */
  public void abort() {
    close();
    closeChannel();
  }

  @Override
  public void run() {
    try (channel) {
      while (writeNext()) {
        // the next
      }
    } catch (IOException | InterruptedException closed) { // a broken pipe, or the child is gone
      LOG.debug("the input of a child is closed: {}", closed.toString());
    }
    giveUp();
  }

  private boolean writeNext() throws IOException, InterruptedException {
    Message message = next();
    if (message == null) {
      return false;
    }
    try {
      for (int done = 0; done < message.bytes().length; ) {
        int length = Math.min(CHUNK_BYTES, message.bytes().length - done);
        done += channel.write(ByteBuffer.wrap(message.bytes(), done, length));
      }
    } catch (IOException broken) {
      answer(message, WriteOutcome.STDIN_CLOSED);
      throw broken;
    }
    written(message);
    return true;
  }

  private synchronized @Nullable Message next() throws InterruptedException {
    while (waiting.isEmpty() && !closing) {
      wait();
    }
    return waiting.poll();
  }

  private synchronized void written(Message message) {
    waitingBytes -= message.weight();
    answer(message, WriteOutcome.WRITTEN);
  }

  private void giveUp() {
    List<Message> left;
    synchronized (this) {
      closing = true;
      left = List.copyOf(waiting);
      waiting.clear();
    }
    left.forEach(message -> answer(message, WriteOutcome.STDIN_CLOSED));
  }

  private void answer(Message message, WriteOutcome outcome) {
    context.runOnContext(turn -> message.written().complete(outcome));
  }

  private void closeChannel() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("closing the input of a child: {}", e.toString());
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Message(byte[] bytes, int weight, Promise<WriteOutcome> written) {}
}
