package dev.runlane.simulation.fault;

import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.world.Chance;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The faults of one world, and the chance with which each hits. */
public final class Faults {
  private final List<Fault> all;
  private final Map<Kind, List<Fault>> byKind = new EnumMap<>(Kind.class);
  private final Map<Kind, Chance> chances = new EnumMap<>(Kind.class);
  private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);

  /** Each kind draws from a row of its own. */
  public Faults(List<Fault> all, long seed) {
    this.all = List.copyOf(all);
    all.stream()
        .map(Fault::kind)
        .filter(kind -> kind == Kind.CLOCK_OFF || kind == Kind.CLOCK_DRIFTS)
        .forEach(this::happened);
    for (Kind kind : Kind.values()) {
      byKind.put(kind, all.stream().filter(fault -> fault.kind() == kind).toList());
      chances.put(kind, Chance.of(seed, kind.name()));
    }
  }

  /** All of them. */
  public List<Fault> all() {
    return all;
  }

  /** All of a kind, in order. */
  public List<Fault> of(Kind kind) {
    return byKind.getOrDefault(kind, List.of());
  }

  /** How far apart two clocks may be at most: none at all where no fault is of clocks. */
  public Duration clocksDiffer() {
    long off =
        of(Kind.CLOCK_OFF).stream().mapToLong(fault -> Math.abs(fault.micros())).sum();
    long drifted = of(Kind.CLOCK_DRIFTS).stream()
        .mapToLong(fault -> Math.abs(fault.micros()) * ((fault.until() - fault.from()) / 1_000_000))
        .sum();
    return Duration.ofNanos((off + drifted) * 1_000);
  }

  /** Whether a fault of the kind hits this process now. Draws only where one is active. */
  public boolean hits(Kind kind, long now, int process) {
    for (Fault fault : of(kind)) {
      if (fault.isActive(now, process) && chance(kind).happens(fault.rate())) {
        happened(kind);
        return true;
      }
    }
    return false;
  }

  /** Whether a fault of the kind is active for this process now, without drawing or counting. */
  public boolean isActive(Kind kind, long now, int process) {
    return of(kind).stream().anyMatch(fault -> fault.isActive(now, process));
  }

  /** Counts a fault that did not ask whether it hits. */
  public void happened(Kind kind) {
    counts.merge(kind, 1L, Long::sum);
  }

  /** How often each kind hit, in the order of the kinds; those that did not are left out. */
  public Map<Kind, Long> counts() {
    return new EnumMap<>(counts);
  }

  /** The row of choices of a kind. */
  public Chance chance(Kind kind) {
    return Objects.requireNonNull(chances.get(kind));
  }

  /** The limit that the shared queue has in what this process starts now, or else the usual one. */
  public int limit(long now, int process, int usual) {
    int limit = usual;
    for (Fault fault : of(Kind.LIMIT_CHANGED)) {
      limit = fault.isActive(now, process) ? (int) fault.micros() : limit;
    }
    return limit;
  }

  /** The edition of the schedules in what this process starts now; 0 is the usual one. */
  public int edition(long now, int process) {
    int edition = 0;
    for (Fault fault : of(Kind.SCHEDULE_EDITED)) {
      edition = fault.isActive(now, process) ? (int) fault.micros() : edition;
    }
    return edition;
  }

  /** How far a process's clock is ahead of the true time, in microseconds. */
  public long clockAhead(long now, int process) {
    long ahead = 0;
    for (Fault fault : of(Kind.CLOCK_OFF)) {
      ahead += fault.isActive(now, process) ? fault.micros() : 0;
    }
    for (Fault fault : of(Kind.CLOCK_DRIFTS)) {
      if (fault.isActive(now, process)) {
        ahead += (now - fault.from()) / 1_000_000 * fault.micros();
      }
    }
    return ahead;
  }
}
