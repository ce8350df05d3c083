package dev.runlane.benchmarks.connectors;

import dev.runlane.benchmarks.measure.Waiting;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.store.ConnectorStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.IntStream;

/** How many records a second come from connectors into a store, the start of their processes included. Blocks. */
record ConnectorRates(Vertx vertx, ChildProcesses children) {

  /**
   * Measures connectors that begin together. Throws unless every record came.
   *
   * @param dropping whether records are counted and dropped, rather than stored
   */
  void measure(
      String workload, ConnectorStore store, boolean dropping, int connectors, ConnectorLoad load) {
    long expected = connectors * load.records();
    CountedStore counted = new CountedStore(store, dropping, expected);
    RecordFlood flood = new RecordFlood(vertx, children, counted);
    String name = workload + "-" + load.records();
    long began = System.nanoTime();
    List<Future<Void>> completed = IntStream.range(0, connectors)
        .mapToObj(number -> flood.start(name + "-" + number, load).completed())
        .toList();
    Waiting.on(Future.join(completed));
    double seconds = (System.nanoTime() - began) / 1e9;
    counted.requireTotal(expected);
    System.out.println(new JsonObject()
        .put("workload", workload)
        .put("connectors", connectors)
        .put("records", expected)
        .put("recordsPerSecond", Math.round(expected / seconds))
        .put("bytes", counted.bytes())
        .put("megabytesPerSecond", Math.round(counted.bytes() / seconds / 1e5) / 10.0)
        .put("heapMegabytes", Runtime.getRuntime().maxMemory() >> 20)
        .encode());
  }
}
