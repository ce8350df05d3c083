package dev.runlane.simulation;

import dev.runlane.simulation.fault.Fault;
import dev.runlane.timing.Clock;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The command: {@code replay SEED} runs a seed, shrinks what fails and writes its timeline;
 * {@code seeds FIRST COUNT} and {@code minutes MINUTES [FIRST]} run many, on all cores unless the property {@code
 * simulation.threads} says on how many. Before that the world may be
 * named, {@code runs} or {@code jobs}. {@code coverage FILE} tells what JaCoCo's report says of the runtime's rooms.
 * Without a first seed, {@code minutes} goes on with runs where the file of the
 * seeds done ends, and adds to it. Exit code 1 where a promise was broken.
 */
public final class SimulationMain {
  private static final int MOST_SHOWN = 5;

  private final PrintStream out;
  private final Path folder;
  private final int threads;
  private final DoneSeeds done;
  private final String commit;
  private int failed;

  SimulationMain(PrintStream out, Path folder, int threads, DoneSeeds done, String commit) {
    this.out = out;
    this.folder = folder;
    this.threads = threads;
    this.done = done;
    this.commit = commit;
  }

  /** Runs the command. */
  public static void main(String[] arguments) {
    SimulationMain command = new SimulationMain(
        System.out,
        Path.of("target", "simulation"),
        Integer.getInteger("simulation.threads", Runtime.getRuntime().availableProcessors()),
        new DoneSeeds(Path.of("seeds-done.txt")),
        System.getProperty("simulation.commit", "unknown"));
    System.exit(command.run(List.of(arguments)) ? 0 : 1);
  }

  /** Whether every promise held. */
  boolean run(List<String> arguments) {
    Optional<World> named = arguments.isEmpty() ? Optional.empty() : World.named(arguments.get(0));
    return named.isPresent()
        ? run(named.get(), arguments.subList(1, arguments.size()))
        : run(World.RUNS, arguments);
  }

  private boolean run(World world, List<String> arguments) {
    String what = arguments.isEmpty() ? "" : arguments.get(0);
    return switch (what) {
      case "coverage" -> {
        Coverage.of(Path.of(arguments.get(1))).print(out);
        yield true;
      }
      case "replay" -> replay(world, Long.parseLong(arguments.get(1)));
      case "seeds" -> {
        long first = Long.parseLong(arguments.get(1));
        long end = first + Long.parseLong(arguments.get(2));
        yield many(world, new Seeds(world, threads), first, new Countdown(end - first));
      }
      case "minutes" -> {
        Clock clock = Clock.system();
        Instant end = clock.now().plus(Duration.ofMinutes(Long.parseLong(arguments.get(1))));
        BooleanSupplier goOn = () -> clock.now().isBefore(end);
        if (arguments.size() <= 2 && world == World.RUNS) {
          yield goOn(goOn);
        }
        long first = arguments.size() > 2
            ? Long.parseLong(arguments.get(2))
            : clock.now().toEpochMilli();
        yield many(world, new Seeds(world, threads), first, goOn);
      }
      default -> {
        out.println(
            "usage: [runs | jobs] replay SEED | seeds FIRST COUNT | minutes MINUTES [FIRST]");
        yield false;
      }
    };
  }

  /** Where the file ends, and adds what was done to it. */
  private boolean goOn(BooleanSupplier goOn) {
    long first = done.next(Simulation.WORLD);
    Seeds seeds = new Seeds(World.RUNS, threads);
    int failedBefore = failed;
    boolean isGood = many(World.RUNS, seeds, first, goOn);
    done.add(new DoneSeeds.Range(
        Simulation.WORLD, first, seeds.after() - 1, commit, failed - failedBefore));
    return isGood;
  }

  private boolean many(World world, Seeds seeds, long first, BooleanSupplier goOn) {
    Clock clock = Clock.system();
    Instant begin = clock.now();
    out.println("seeds from " + first + " on, " + threads + " at a time");
    List<Result> broken = seeds.run(first, goOn);
    failed += broken.size();
    double minutes = Duration.between(begin, clock.now()).toMillis() / 60_000.0;
    broken.stream().limit(MOST_SHOWN).forEach(result -> show(world, result));
    out.printf(
        Locale.ROOT,
        "%d seeds, %d failed, %.0f a minute%s%n",
        seeds.done(),
        broken.size(),
        seeds.done() / minutes,
        broken.isEmpty() ? "" : ": " + broken.stream().map(Result::seed).toList());
    seeds
        .hits()
        .forEach((kind, times) -> out.printf(
            Locale.ROOT, "%12d %s%n", times.get(), kind.name().toLowerCase(Locale.ROOT)));
    return broken.isEmpty();
  }

  private boolean replay(World world, long seed) {
    Result result = world.run(seed);
    if (!result.isGood()) {
      show(world, result);
      return false;
    }
    Result traced = world.trace(seed, result.faults());
    out.printf(
        "seed %s is good: %s %s, %s steps, %s; %s%n",
        seed,
        result.runs(),
        world.label(),
        result.steps(),
        result.simulated(),
        write(world, traced));
    return true;
  }

  private void show(World world, Result failed) {
    List<Fault> shortest = Shrinker.shrink(world, failed);
    Result traced = world.trace(failed.seed(), shortest);
    out.println("seed " + failed.seed() + " fails with " + shortest.size() + " of "
        + failed.faults().size() + " faults");
    shortest.forEach(fault -> out.println("  " + fault));
    traced.violations().forEach(violation -> out.println("  broken: " + violation));
    out.println("  " + write(world, traced) + ", again with: simulation/run " + world.label()
        + " replay " + failed.seed());
  }

  private static String prefix(World world) {
    return world == World.RUNS ? "" : world.label() + "-";
  }

  private String write(World world, Result traced) {
    try {
      Files.createDirectories(folder);
      Path file = folder.resolve(prefix(world) + "seed-" + traced.seed() + ".txt");
      Files.writeString(file, Timeline.of(traced.lines()));
      return "timeline in " + file;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Says yes so many times, to several threads. */
  private static final class Countdown implements BooleanSupplier {
    private final AtomicLong left;

    Countdown(long times) {
      left = new AtomicLong(times);
    }

    @Override
    public boolean getAsBoolean() {
      return left.getAndDecrement() > 0;
    }
  }
}
