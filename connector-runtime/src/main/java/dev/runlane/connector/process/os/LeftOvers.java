package dev.runlane.connector.process.os;

import java.util.List;
import java.util.function.Predicate;

/** What a dead controller left behind. Blocks. */
public final class LeftOvers {
  private LeftOvers() {}

  /** Kills all that carry the mark, and with each all of its group and session and below; answers whether there was one. */
  public static boolean end(String variable) {
    Predicate<ProcessStat> isMarked = stat -> ProcFiles.hasVariable(stat.pid(), variable);
    List<Long> leaders = ProcFiles.all().stream()
        .filter(isMarked)
        .map(ProcessStat::session)
        .distinct()
        .toList();
    leaders.forEach(leader -> new ProcessTree(leader, variable).kill());
    return !leaders.isEmpty();
  }
}
