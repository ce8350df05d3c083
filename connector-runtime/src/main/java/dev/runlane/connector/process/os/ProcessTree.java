package dev.runlane.connector.process.os;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A child and all that descends from it, however it tried to get away:
 *
 * <pre>
 *   in its group or session        what did not leave
 *   below one of these             what left, but still has its parent
 *   carries the run's mark         what left and was orphaned: the environment it was started with is kept by Linux
 *   was one of these before        what left, cleared its environment and was orphaned since the last look
 *   holds the run's output open    what cleared its environment too, but still writes (asked for separately)
 * </pre>
 *
 * The leader's number cannot be used again while anybody is in its group or session, and Linux hands out
 * numbers in a circle, so a group found under it shortly after is ours. Blocks.
 */
public final class ProcessTree {
  private static final int ROUNDS = 200; // what cannot be killed within them hangs in the kernel
  private static final Duration PAUSE = Duration.ofMillis(5);

  private final long leader;
  private final String variable;
  private final Set<Known> known = ConcurrentHashMap.newKeySet();

  /**
   * A tree.
   *
   * @param leader the first process, which leads group and session
   * @param variable the mark, {@code NAME=value}
   */
  public ProcessTree(long leader, String variable) {
    this.leader = leader;
    this.variable = variable;
  }

  /** The pid of the process that all others descend from. */
  public long leader() {
    return leader;
  }

  /** Pids of all that live, the leader included. What was found once is found again, wherever it went meanwhile. */
  public Set<Long> find() {
    List<ProcessStat> all = ProcFiles.all();
    Set<Long> found = new LinkedHashSet<>();
    for (ProcessStat stat : all) {
      if (isOurs(stat)) {
        found.add(stat.pid());
      }
    }
    while (addChildren(all, found)) {
      // until a pass adds none
    }
    all.stream().filter(stat -> found.contains(stat.pid())).map(Known::of).forEach(known::add);
    return found;
  }

  private boolean isOurs(ProcessStat stat) {
    return stat.group() == leader
        || stat.session() == leader
        || known.contains(Known.of(stat))
        || ProcFiles.hasVariable(stat.pid(), variable);
  }

  private static boolean addChildren(List<ProcessStat> all, Set<Long> found) {
    boolean added = false;
    for (ProcessStat stat : all) {
      added |= found.contains(stat.parent()) && found.add(stat.pid());
    }
    return added;
  }

  /** Sends SIGTERM to the group and all others. */
  public void terminate() {
    Set<Long> targets = find();
    targets.add(-leader);
    Signals.send("TERM", targets);
  }

  /** Kills all until none is found; answers whether there was one besides the leader. */
  public boolean kill() {
    return killAll(this::find);
  }

  /**
   * Kills what a dead controller left behind: all that carry the mark, and with each all of its group and session and
   * below; answers whether there was one. Blocks.
   */
  public static boolean killMarked(String variable) {
    List<Long> leaders = ProcFiles.all().stream()
        .filter(stat -> ProcFiles.hasVariable(stat.pid(), variable))
        .map(ProcessStat::session)
        .distinct()
        .toList();
    leaders.forEach(leader -> new ProcessTree(leader, variable).kill());
    return !leaders.isEmpty();
  }

  /**
   * Kills whoever holds one of {@code files} open; answers whether there was one. Not this process, nor one that it
   * is just starting, which holds copies of all that is open here until its own program begins.
   */
  public boolean killHolders(Set<String> files) {
    long self = ProcessHandle.current().pid();
    Predicate<ProcessStat> holds = stat -> stat.pid() != self
        && stat.parent() != self
        && files.stream().anyMatch(file -> ProcFiles.holds(stat.pid(), file));
    return killAll(() -> {
      Set<Long> found = new HashSet<>();
      ProcFiles.all().stream().filter(holds).map(ProcessStat::pid).forEach(found::add);
      return found;
    });
  }

  private boolean killAll(Supplier<Set<Long>> search) {
    boolean others = false;
    for (int round = 0; round < ROUNDS; round++) {
      Set<Long> found = search.get();
      if (found.isEmpty()) {
        break;
      }
      others |= found.stream().anyMatch(pid -> pid != leader);
      Set<Long> targets = new LinkedHashSet<>(found);
      targets.add(-leader);
      Signals.send("KILL", targets);
      LockSupport.parkNanos(PAUSE.toNanos());
    }
    return others;
  }

  /** One process and no other that has its pid later. */
  private record Known(long pid, long startTicks) {
    static Known of(ProcessStat stat) {
      return new Known(stat.pid(), stat.startTicks());
    }
  }
}
