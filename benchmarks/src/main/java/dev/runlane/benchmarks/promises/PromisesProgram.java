package dev.runlane.benchmarks.promises;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What promises about silence, outages, upgrades and backlogs come to on a real Postgres and a real broker: each
 * figure beside what it was when the promise was not kept, and beside what it must be.
 */
public final class PromisesProgram {
  private static final Map<String, Piece> PIECES = pieces();

  private PromisesProgram() {}

  private static Map<String, Piece> pieces() {
    Map<String, Piece> pieces = new LinkedHashMap<>();
    pieces.put("silence-trigger", SilencePieces::trigger);
    pieces.put("silence-listen", SilencePieces::listen);
    pieces.put("lease-end", SilencePieces::leaseEnd);
    pieces.put("close-postgres-gone", ClosePieces.withPostgresGone());
    pieces.put("close-postgres-frozen", ClosePieces.withPostgresFrozen());
    pieces.put("close-broker-gone", ClosePieces.withBrokerGone());
    pieces.put("close-broker-frozen", ClosePieces.withBrokerFrozen());
    pieces.put("broker-trigger", ClosePieces::brokerTrigger);
    pieces.put("read-only", OutagePieces::readOnly);
    pieces.put("retry-jobs", BacklogPieces::retryJobs);
    pieces.put("clock", OutagePieces::clock);
    pieces.put("log", OutagePieces::log);
    pieces.put("foreign-claim", BacklogPieces::foreignClaim);
    pieces.put("migration", DeployPieces::migration);
    pieces.put("kills", DeployPieces::kills);
    pieces.put("remote", DeployPieces::remote);
    pieces.put("unsigned", StepPieces::unsigned);
    pieces.put("grouped-fetch", BacklogPieces::groupedFetch);
    pieces.put("searches", BacklogPieces::searches);
    pieces.put("first-lease", QueuePieces::firstLease);
    return pieces;
  }

  /**
   * {@code LOG [PIECE ...]}: the file that takes what the runtimes log in their outages, and the pieces, which are
   * those that begin with one of the names, or all. Ends with status 1 where a figure is not what it must be, or a
   * piece could not be measured.
   */
  public static void main(String[] args) throws IOException {
    System.setErr(new PrintStream(args[0], StandardCharsets.UTF_8));
    System.exit(run(Arrays.copyOfRange(args, 1, args.length)) ? 0 : 1);
  }

  /** Whether every figure of the pieces that are named is what it must be. */
  static boolean run(String... names) {
    requireKnown(names);
    List<Map.Entry<String, Piece>> wanted = PIECES.entrySet().stream()
        .filter(
            piece -> names.length == 0 || Arrays.stream(names).anyMatch(piece.getKey()::startsWith))
        .toList();
    List<Figure> all = new ArrayList<>();
    Set<String> unmeasured = new TreeSet<>();
    try (Site site = new Site()) {
      for (Map.Entry<String, Piece> piece : wanted) {
        Elapsed elapsed = Elapsed.fromNow();
        try {
          List<Figure> figures = piece.getValue().measure(site);
          figures.forEach(figure -> System.out.println(figure.row()));
          all.addAll(figures);
        } catch (Exception failure) {
          failure.printStackTrace(System.out);
          unmeasured.add(piece.getKey());
        }
        System.out.printf(Locale.ROOT, "(%s: %.0f s)%n", piece.getKey(), elapsed.seconds());
      }
    }
    System.out.println();
    System.out.print(table(all));
    if (!unmeasured.isEmpty()) {
      System.out.println("not measured: " + unmeasured);
    }
    return unmeasured.isEmpty() && all.stream().allMatch(Figure::kept);
  }

  private static void requireKnown(String... names) {
    for (String name : names) {
      if (PIECES.keySet().stream().noneMatch(piece -> piece.startsWith(name))) {
        throw new IllegalArgumentException("no piece " + name + "; there are " + PIECES.keySet());
      }
    }
  }

  /** In Markdown. */
  static String table(List<Figure> figures) {
    StringBuilder table = new StringBuilder("""
        | what | before | must | now |
        |---|---:|---:|---:|
        """);
    figures.forEach(figure -> table.append(figure.row()).append('\n'));
    return table.toString();
  }
}
