package dev.runlane.benchmarks.connectors;

import dev.runlane.benchmarks.connectors.RecordFlood.Flight;
import dev.runlane.benchmarks.measure.Waiting;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.store.ConnectorStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How evenly connectors get on that write at the same time: all wait at a gate, their processes started, and what
 * is measured begins when it is opened. Blocks.
 */
record ConnectorFairness(Vertx vertx, ChildProcesses children, ConnectorStore store) {
  private static final int FLOODED = 20_000; // records after which a flood counts as under way
  private static final ConnectorLoad ENDLESS = new ConnectorLoad(50_000_000, 1_000, null);

  /**
   * Connectors that all have as much to send.
   *
   * @param dropping whether records are counted and dropped, rather than stored
   */
  void alike(String workload, boolean dropping, int connectors, long each) {
    CountedStore counted = new CountedStore(store, dropping, connectors * each);
    Ends ends = release(workload, counted, connectors, ConnectorLoad.small(each));
    counted.requireTotal(connectors * each);
    System.out.println(new JsonObject()
        .put("workload", workload)
        .put("connectors", connectors)
        .put("recordsEach", each)
        .put("recordsPerSecond", Math.round(1e3 * connectors * each / ends.last()))
        .put("leastToMostHalfway", leastToMost(counted.countsHalfway().values(), connectors))
        .put("firstToLastEnd", rounded(ends.first() / ends.last()))
        .encode());
  }

  /** Connectors with little to send, and the same beside one that sends as much as it can. */
  void besideFlood(String workload, int connectors, long each) {
    Ends alone = besideNothing(workload + "-alone", connectors, each);
    CountedStore flooded = new CountedStore(store, false, 2L * FLOODED);
    Flight flood = new RecordFlood(vertx, children, flooded).start(workload + "-flood", ENDLESS);
    Waiting.on(flooded.reachesHalf());
    long before = flooded.total();
    Ends beside = besideNothing(workload + "-beside", connectors, each);
    long during = flooded.total() - before;
    flood.cancel();
    Waiting.on(flood.ended());
    System.out.println(new JsonObject()
        .put("workload", workload)
        .put("connectors", connectors)
        .put("recordsEach", each)
        .put("aloneMedianMillis", Math.round(alone.median()))
        .put("besideMedianMillis", Math.round(beside.median()))
        .put("medianRatio", rounded(beside.median() / alone.median()))
        .put("lastRatio", rounded(beside.last() / alone.last()))
        .put("floodRecordsMeanwhile", during)
        .encode());
  }

  private Ends besideNothing(String workload, int connectors, long each) {
    CountedStore counted = new CountedStore(store, false, connectors * each);
    Ends ends = release(workload, counted, connectors, ConnectorLoad.small(each));
    counted.requireTotal(connectors * each);
    return ends;
  }

  private Ends release(String name, ConnectorStore into, int connectors, ConnectorLoad load) {
    try (StartGate gate = StartGate.create()) {
      RecordFlood flood = new RecordFlood(vertx, children, into);
      List<Flight> flights = IntStream.range(0, connectors)
          .mapToObj(number -> flood.start(name + "-" + number, load.behind(gate)))
          .toList();
      Waiting.on(Future.join(flights.stream().map(Flight::ready).toList()));
      double[] millis = new double[connectors];
      long began = System.nanoTime();
      gate.open();
      Waiting.on(Future.join(IntStream.range(0, connectors)
          .mapToObj(number -> flights
              .get(number)
              .completed()
              .onSuccess(ended -> millis[number] = (System.nanoTime() - began) / 1e6))
          .toList()));
      Arrays.sort(millis);
      return new Ends(millis);
    }
  }

  /** 1 where all have as many, 0 where one has none. */
  private static double leastToMost(Collection<Long> counts, int connectors) {
    long most = counts.stream().mapToLong(Long::longValue).max().orElse(0);
    long least = counts.size() < connectors
        ? 0
        : counts.stream().mapToLong(Long::longValue).min().orElse(0);
    return most == 0 ? 0 : rounded((double) least / most);
  }

  private static double rounded(double ratio) {
    return Math.round(100 * ratio) / 100.0;
  }

  /**
   * When connectors ended.
   *
   * @param millis after the gate was opened, in order
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Ends(double[] millis) {
    double first() {
      return millis[0];
    }

    double median() {
      return millis[millis.length / 2];
    }

    double last() {
      return millis[millis.length - 1];
    }
  }
}
