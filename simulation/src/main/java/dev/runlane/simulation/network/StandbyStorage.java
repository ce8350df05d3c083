package dev.runlane.simulation.network;

import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A storage with a standby that follows it a while later. When the standby takes its place, what was stored in that
 * while is gone, and it answers as if that had never been: the sequences of runs are given out again. Every command
 * that changes something is kept, and the standby is what those that it had heard of make.
 */
public final class StandbyStorage {
  private final VirtualTime time;
  private final long seed;
  private final StorageAdapter storage;
  private final List<Command> commands = new ArrayList<>();
  private StorageAdapter primary;
  private Runnable claimed = () -> {};
  private long begun; // commands, those included that are lost
  private Randomness chance =
      Randomness.seeded(0); // of each command, so that it makes the same ids again
  private @Nullable Instant replayed; // when the command was carried out that is carried out again

  /** @param seed of ids and tokens */
  public StandbyStorage(VirtualTime time, long seed) {
    this.time = time;
    this.seed = seed;
    primary = memory();
    storage = proxy(StorageAdapter.class, null);
  }

  private MemoryStorage memory() {
    Randomness ofCommand = new Randomness() {
      @Override
      public long nextLong() {
        return chance.nextLong();
      }

      @Override
      public double nextDouble() {
        return chance.nextDouble();
      }

      @Override
      public int nextInt(int bound) {
        return chance.nextInt(bound);
      }
    };
    return new MemoryStorage(new Ids(this::now, ofCommand), this::now);
  }

  private Instant now() {
    return replayed == null ? time.instant() : replayed;
  }

  /** The storage, whichever of the two it is. */
  public StorageAdapter storage() {
    return storage;
  }

  /** Calls back once, in the moment in which a run is claimed the next time. */
  public void onNextClaim(Runnable callback) {
    claimed = callback;
  }

  /** The standby takes over, which has heard of nothing that was stored in the last while. */
  public void failOver(Duration lost) {
    Instant last = time.instant().minus(lost);
    StorageAdapter standby = memory();
    commands.removeIf(command -> command.at.isAfter(last) && !command.listens());
    primary = standby;
    for (Command command : commands) {
      replayed = command.at;
      chance = Randomness.seeded(command.seed);
      command.on(standby);
    }
    replayed = null;
  }

  private <T> T proxy(Class<T> contract, @Nullable Method offer) {
    return contract.cast(Proxy.newProxyInstance(
        StandbyStorage.class.getClassLoader(), new Class<?>[] {contract}, new End(offer)));
  }

  /** Commands to the storage, or to one of the contracts that it offers. */
  private final class End implements InvocationHandler {
    private final @Nullable Method offer;

    End(@Nullable Method offer) {
      this.offer = offer;
    }

    @Override
    public @Nullable Object invoke(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      Command command =
          new Command(now(), Objects.hash(seed, begun), offer, method, guarded(arguments));
      if (method.getReturnType() == Future.class) {
        if (command.listens() || StorageLine.changes(method.getName())) {
          begun++;
          chance = Randomness.seeded(command.seed);
          commands.add(command);
        }
        Object answer = command.on(primary);
        if (answer instanceof Future<?> future && hasClaimed(future.result())) {
          Runnable callback = claimed;
          claimed = () -> {};
          callback.run();
        }
        return answer;
      }
      Object answer = command.on(primary);
      if (arguments == null
          && answer instanceof Optional<?> offered
          && method.getGenericReturnType() instanceof ParameterizedType type
          && offer == null) {
        Type of = type.getActualTypeArguments()[0];
        return offered.map(each -> of instanceof Class<?> contract && contract.isInterface()
            ? proxy(contract, method)
            : each);
      }
      return answer;
    }

    private static boolean hasClaimed(@Nullable Object answer) {
      return (answer instanceof ClaimedRuns many && !many.runs().isEmpty())
          || (answer instanceof Optional<?> one
              && one.isPresent()
              && one.get() instanceof AppendedRun);
    }

    /** What was told once is not told again when it is carried out again. */
    private @Nullable Object @Nullable [] guarded(@Nullable Object @Nullable [] arguments) {
      if (arguments == null) {
        return null;
      }
      @Nullable Object[] given = arguments.clone();
      for (int index = 0; index < given.length; index++) {
        if (given[index] instanceof Consumer<?> listener) {
          given[index] = guarded(listener);
        }
      }
      return given;
    }

    private <T> Consumer<T> guarded(Consumer<T> listener) {
      return news -> {
        if (replayed == null) {
          listener.accept(news);
        }
      };
    }
  }

  /**
   * A call of the storage.
   *
   * @param seed of the ids that it makes
   * @param offer the contract of the storage that it is of; null: the storage itself
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares them
  private record Command(
      Instant at,
      long seed,
      @Nullable Method offer,
      Method method,
      @Nullable Object @Nullable [] arguments) {
    /** Whether it is of a connection, which listens to whoever is there. */
    boolean listens() {
      return method.getName().equals("subscribe") || method.getName().equals("listen");
    }

    @Nullable
    Object on(StorageAdapter storage) {
      try {
        Object target =
            offer == null ? storage : ((Optional<?>) offer.invoke(storage)).orElseThrow();
        method.setAccessible(true); // looked into at each call otherwise
        return method.invoke(target, arguments);
      } catch (InvocationTargetException thrown) {
        throw new IllegalStateException(method + " threw", thrown.getCause());
      } catch (IllegalAccessException impossible) {
        throw new IllegalStateException(impossible);
      }
    }
  }
}
