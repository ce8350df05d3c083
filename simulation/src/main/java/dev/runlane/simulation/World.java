package dev.runlane.simulation;

import dev.runlane.simulation.fault.Fault;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What is simulated. */
public enum World {
  /** Fleets of the runtime, and their runs. */
  RUNS {
    @Override
    List<Fault> faults(long seed) {
      return Simulation.faults(seed);
    }

    @Override
    Result run(long seed, List<Fault> faults) {
      return Simulation.run(seed, faults);
    }

    @Override
    Result trace(long seed, List<Fault> faults) {
      return Simulation.trace(seed, faults);
    }
  },
  /** Fleets of job workers, and their jobs. */
  JOBS {
    @Override
    List<Fault> faults(long seed) {
      return JobSimulation.faults(seed);
    }

    @Override
    Result run(long seed, List<Fault> faults) {
      return JobSimulation.run(seed, faults);
    }

    @Override
    Result trace(long seed, List<Fault> faults) {
      return JobSimulation.trace(seed, faults);
    }
  };

  /** The world with this name, as it is given on the command line. */
  static Optional<World> named(String name) {
    return List.of(values()).stream()
        .filter(world -> world.label().equals(name))
        .findFirst();
  }

  /** Its name on the command line. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Runs a seed with its own faults. */
  Result run(long seed) {
    return run(seed, faults(seed));
  }

  abstract List<Fault> faults(long seed);

  abstract Result run(long seed, List<Fault> faults);

  /** The same, keeping a line of everything that happens. */
  abstract Result trace(long seed, List<Fault> faults);
}
