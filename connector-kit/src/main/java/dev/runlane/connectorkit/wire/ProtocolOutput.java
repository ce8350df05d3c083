package dev.runlane.connectorkit.wire;

import dev.runlane.connectorkit.message.ConnectorFailure;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lines to the runtime, whole and in order whatever thread writes them. Holds at most {@value
 * #BUFFER_BYTES} bytes and one line: a runtime that reads slowly slows the writer.
 *
 * <p>Records wait for each other up to the flush delay; everything else is written at once, with
 * the records before it.
 */
public final class ProtocolOutput {

  private static final int BUFFER_BYTES = 64 * 1024;

  private final OutputStream out;
  private final int maxLineBytes;
  private final Duration flushDelay;
  private final ReentrantLock lock = new ReentrantLock();
  private final ScheduledThreadPoolExecutor flusher;
  private boolean flushIsDue;
  private boolean ended;
  private long records;
  private @Nullable IOException failure;

  public ProtocolOutput(OutputStream out, int maxLineBytes, Duration flushDelay) {
    this.out = new BufferedOutputStream(out, BUFFER_BYTES);
    this.maxLineBytes = maxLineBytes;
    this.flushDelay = flushDelay;
    flusher = new ScheduledThreadPoolExecutor(1, ProtocolOutput::flushThread);
  }

  /** Sends a RECORD and counts it. Blocks while the runtime does not read. */
  public void record(byte[] line) {
    lock.lock();
    try {
      write(line);
      records++;
      flushSoon();
    } finally {
      lock.unlock();
    }
  }

  /** Sends any other message, and all records before it. */
  public void message(byte[] line) {
    lock.lock();
    try {
      write(line);
      flush();
    } finally {
      lock.unlock();
    }
  }

  /** Sends a message, and keeps all other writers waiting while {@code then} waits for an answer. */
  <T> T exchange(byte[] line, WaitForAnswer<T> then) throws IOException, InterruptedException {
    lock.lockInterruptibly();
    try {
      message(line);
      return then.await();
    } finally {
      lock.unlock();
    }
  }

  /** Sends DONE with the number of records; nothing can be sent after it. */
  public void end(DoneLine done) {
    lock.lock();
    try {
      byte[] line = done.with(records);
      write(line);
      ended = true;
      flush();
    } finally {
      lock.unlock();
      flusher.shutdownNow();
    }
  }

  /** Sends nothing any more, DONE neither. */
  public void abandon() {
    flusher.shutdownNow();
  }

  public long records() {
    lock.lock();
    try {
      return records;
    } finally {
      lock.unlock();
    }
  }

  private void write(byte[] line) {
    if (ended) {
      throw new IllegalStateException("nothing can be sent after DONE");
    }
    if (line.length > maxLineBytes) {
      throw new ConnectorFailure(
          "message_too_large",
          "a message of %s bytes is above the limit of %s".formatted(line.length, maxLineBytes));
    }
    try {
      if (failure != null) {
        throw failure;
      }
      out.write(line);
      out.write('\n');
    } catch (IOException broken) {
      throw gone(broken);
    }
  }

  private void flush() {
    try {
      out.flush();
    } catch (IOException broken) {
      throw gone(broken);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a failure is kept for whoever writes next
  private void flushSoon() {
    if (!flushIsDue) {
      flushIsDue = true;
      flusher.schedule(this::flushRecords, flushDelay.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void flushRecords() {
    lock.lock();
    try {
      flushIsDue = false;
      out.flush();
    } catch (IOException broken) {
      failure = broken; // the next writer is told
    } finally {
      lock.unlock();
    }
  }

  private static UncheckedIOException gone(IOException broken) {
    return new UncheckedIOException("the runtime does not read any more", broken);
  }

  private static Thread flushThread(Runnable work) {
    Thread thread = new Thread(work, "connector-flush");
    thread.setDaemon(true);
    return thread;
  }

  /** Waits for what answers a message. */
  interface WaitForAnswer<T> {
    T await() throws IOException, InterruptedException;
  }

  /** DONE, once the number of records is final. */
  public interface DoneLine {
    byte[] with(long records);
  }
}
