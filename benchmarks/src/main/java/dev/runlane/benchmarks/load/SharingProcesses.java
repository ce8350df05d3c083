package dev.runlane.benchmarks.load;

import dev.runlane.benchmarks.measure.CpuShare;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Processes that share the work of one workload, kept in step together. */
final class SharingProcesses implements AutoCloseable {
  private final List<MeasuredProcess> processes = new ArrayList<>();
  private final List<CpuShare> shares = new ArrayList<>();

  private SharingProcesses() {}

  static SharingProcesses start(int count, Supplier<MeasuredProcess> process) {
    SharingProcesses started = new SharingProcesses();
    for (int i = 0; i < count; i++) {
      started.processes.add(process.get());
    }
    return started;
  }

  List<MeasuredProcess> all() {
    return processes;
  }

  /** Waits until each of them has reached a phase; the results of the one that took longest. */
  JsonObject await(String phase) {
    JsonObject longest = new JsonObject();
    for (MeasuredProcess each : processes) {
      JsonObject results = each.await(phase);
      if (results.getLong("elapsedNanos", 0L) >= longest.getLong("elapsedNanos", 0L)) {
        longest = results;
      }
    }
    return longest;
  }

  /** From now on each uses so much of a core and no more. */
  void cap(double cores) {
    for (MeasuredProcess each : processes) {
      CpuShare share = CpuShare.of(cores);
      shares.add(share);
      share.add(each.pid());
    }
  }

  void go() {
    processes.forEach(MeasuredProcess::go);
  }

  /** Lets all end and waits for them. */
  void end() {
    processes.forEach(MeasuredProcess::end);
  }

  @Override
  public void close() {
    processes.forEach(MeasuredProcess::close);
    shares.forEach(CpuShare::close);
  }
}
