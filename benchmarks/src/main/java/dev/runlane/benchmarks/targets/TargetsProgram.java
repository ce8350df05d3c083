package dev.runlane.benchmarks.targets;

import dev.runlane.benchmarks.jobs.JobsProgram;
import dev.runlane.benchmarks.load.IdleProgram;
import dev.runlane.benchmarks.load.LoadProgram;
import dev.runlane.benchmarks.load.Measurement;
import dev.runlane.benchmarks.load.Targets;
import dev.runlane.benchmarks.steps.StepsProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Every line of the table of targets but those of the soak, in pieces of at most ten minutes. */
public final class TargetsProgram {
  private static final int JOBS = 20_000;
  private static final Map<String, Piece> PIECES = pieces();

  private TargetsProgram() {}

  /** What is measured together, since its figures are compared with each other. */
  @FunctionalInterface
  private interface Piece {
    /**
     * Measures it.
     *
     * @param options of the load program, which override its own
     */
    List<Measurement> measure(Path project, List<String> options) throws IOException;
  }

  private static Map<String, Piece> pieces() {
    Map<String, Piece> pieces = new LinkedHashMap<>();
    pieces.put("drain", load("drain=", "drain-default", "enqueue-many", "--peers"));
    pieces.put("trigger", load("enqueue-16", "enqueue-128", "enqueue-threads", "--peers"));
    pieces.put("latency", load("latency"));
    pieces.put("bounded", load("drain=", "bounded=", "bounded-1000", "bounded-keys="));
    pieces.put("kafka", load("latency", "deployed-drain", "--kafka"));
    pieces.put("idle", (project, options) -> List.of(IdleProgram.measure()));
    pieces.put(
        "filled",
        load(
            "drain=",
            "filled-drain",
            "--statements",
            "--history",
            "1000000",
            "--waiting",
            "100000"));
    pieces.put("jobs", (project, options) -> JobsProgram.measure(project, JOBS));
    pieces.put("steps", (project, options) -> StepsProgram.measureBursts(project));
    pieces.put("processes", load("processes"));
    pieces.put("slow-disk", load("slow-disk-drain"));
    return pieces;
  }

  private static Piece load(String... args) {
    return (project, options) ->
        LoadProgram.measure(Stream.of(Stream.of(args), Stream.of("--rounds", "1"), options.stream())
            .flatMap(each -> each)
            .toList());
  }

  /**
   * {@code PROJECT [PIECE...] [OPTION...]}: the project's folder, the pieces, or all, and options of the load program
   * for those that it measures.
   */
  public static void main(String[] args) throws IOException {
    List<String> left = Arrays.asList(args).subList(1, args.length);
    List<String> names = left.stream().takeWhile(arg -> !arg.startsWith("--")).toList();
    List<String> options = left.subList(names.size(), left.size());
    List<List<Measurement>> pieces = new ArrayList<>();
    for (String name : wanted(names)) {
      System.out.println("piece " + name);
      Piece piece = Objects.requireNonNull(PIECES.get(name));
      pieces.add(piece.measure(Path.of(args[0]), options));
    }
    System.out.println("All pieces:");
    System.out.println(Targets.tableOfRuns(pieces));
  }

  /** In the order in which they are measured. Throws when there is no such piece. */
  static List<String> wanted(List<String> names) {
    if (!PIECES.keySet().containsAll(names)) {
      throw new IllegalArgumentException(
          "not every piece of " + names + " is there; there are " + PIECES.keySet());
    }
    return names.isEmpty() ? List.copyOf(PIECES.keySet()) : names;
  }
}
