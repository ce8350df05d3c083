package dev.runlane.runtime.process;

import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * How many of many runs one read asks for. Each is answered with its payload and output, of which many together may be
 * more than the heap: so few are asked for at first, and then as many as have about {@value #BYTES} bytes if they are
 * like those of the read before. Touched on one context only.
 */
public final class ReadSize {
  private static final long BYTES = 8 << 20;
  private static final int FIRST = 32;
  private static final int GROWTH = 4; // of one read against the last

  private final int most;
  private int runs;

  /** @param most whatever they hold */
  public ReadSize(int most) {
    this.most = most;
    runs = Math.min(FIRST, most);
  }

  /** The runs of the next read. */
  public int runs() {
    return runs;
  }

  /** Goes by what a read was answered with. */
  public void learn(Collection<RunRecord> read) {
    if (!read.isEmpty()) {
      long bytes = Math.max(1, read.stream().mapToLong(ReadSize::bytes).sum());
      long fitting = BYTES * read.size() / bytes;
      runs = (int) Math.max(1, Math.min(fitting, Math.min(most, (long) GROWTH * runs)));
    }
  }

  private static long bytes(RunRecord run) {
    return length(run.payload()) + length(run.output());
  }

  private static long length(@Nullable Json value) {
    return value == null ? 0 : value.text().length();
  }
}
