package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.runtime.operate.Operator;
import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The counts of what waits that this console has seen, since the storage keeps the latest alone. Reads one row each
 * {@link #EVERY}. Belongs to the context of its server.
 */
public final class DepthHistory {
  private static final Logger LOG = LoggerFactory.getLogger(DepthHistory.class);
  private static final Duration EVERY = Duration.ofSeconds(30);

  /** Three hours of a count a minute. */
  private static final int KEPT = 180;

  private final Operator operator;
  private final Timers timers;
  private final Deque<DepthSample> samples = new ArrayDeque<>();
  private Timers.@Nullable Timer next;
  private boolean isClosed;

  /** One that has not started. */
  public DepthHistory(Operator operator, Timers timers) {
    this.operator = operator;
    this.timers = timers;
  }

  /** Looks now and again from now on. */
  public void start() {
    operator.depths().onComplete(read -> {
      if (read.succeeded()) {
        read.result().ifPresent(this::add);
      } else {
        LOG.debug("the depths cannot be read", read.cause());
      }
      if (!isClosed) {
        next = timers.schedule(EVERY, this::start);
      }
    });
  }

  /** Looks no more. */
  public void close() {
    isClosed = true;
    if (next != null) {
      next.cancel();
    }
  }

  private void add(DepthSample sample) {
    DepthSample last = samples.peekLast();
    if (last == null || sample.takenAt().isAfter(last.takenAt())) {
      samples.add(sample);
    }
    if (samples.size() > KEPT) {
      samples.remove();
    }
  }

  /** As the document has it, with each sample as it is told. */
  ObjectNode body(Function<DepthSample, ObjectNode> told) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ArrayNode data = body.putArray("data");
    samples.forEach(sample -> data.add(told.apply(sample)));
    return body;
  }
}
