package dev.runlane.runtime;

import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.ClaimRuns;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A real storage that claims runs of one more task than it is asked for, and whichever are named. */
record Intrusion(StorageAdapter real, String taskId) {
  StorageAdapter storage() {
    return new ForwardingStorageAdapter(real) {
      @Override
      public Optional<BatchStorage> batch() {
        return delegate.batch().map(Intrusion.this::batch);
      }
    };
  }

  private BatchStorage batch(BatchStorage batch) {
    return BatchStorage.class.cast(Proxy.newProxyInstance(
        Intrusion.class.getClassLoader(),
        new Class<?>[] {BatchStorage.class},
        (proxy, method, arguments) -> method.getName().equals("claimRuns")
            ? batch.claimRuns(widened((ClaimRuns) arguments[0]))
            : method.invoke(batch, arguments)));
  }

  private ClaimRuns widened(ClaimRuns asked) {
    List<String> tasks =
        Stream.concat(asked.taskIds().stream(), Stream.of(taskId)).toList();
    return new ClaimRuns(
        asked.environment(),
        asked.queues(),
        tasks,
        asked.workerId(),
        asked.leaseToken(),
        asked.leaseFor(),
        asked.now(),
        asked.limit());
  }
}
