package dev.runlane.jobs.queue;

import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.job.ObserverBehaviour;
import dev.runlane.jobs.queue.process.RepeatingBehaviour;
import dev.runlane.jobs.queue.process.SignalBehaviour;
import dev.runlane.jobs.queue.process.WorkingBehaviour;
import dev.runlane.jobs.store.JobStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Nested;

/** The behaviour of queues and workers on jobs in memory. */
class MemoryJobQueueTest {
  private static Future<JobStore> store(Vertx vertx) {
    JobStore store = new MemoryJobStore();
    return store.connect().map(store);
  }

  @Nested
  class Adding extends AddingBehaviour {
    Adding() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Working extends WorkingBehaviour {
    Working() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Signals extends SignalBehaviour {
    Signals() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Flows extends FlowBehaviour {
    Flows() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Sharing extends SharingBehaviour {
    Sharing() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Observers extends ObserverBehaviour {
    Observers() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Repeating extends RepeatingBehaviour {
    Repeating() {
      super(MemoryJobQueueTest::store);
    }
  }
}
