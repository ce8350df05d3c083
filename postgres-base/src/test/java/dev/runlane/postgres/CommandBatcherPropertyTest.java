package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandOutcome;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever is submitted, fails and takes its time, gathering changes no command's fate. */
class CommandBatcherPropertyTest {
  private static Vertx vertx;

  @BeforeContainer
  static void open() {
    vertx = Vertx.vertx();
  }

  @AfterContainer
  static void close() {
    Database.done(vertx.close());
  }

  @Property(tries = 150)
  void every_command_ends_once_in_the_order_of_its_key_and_only_the_guilty_fail(
      @ForAll @Size(min = 1, max = 60) List<@IntRange(max = 9) Integer> keys,
      @ForAll Set<@IntRange(max = 59) Integer> guilty,
      @ForAll @IntRange(min = 1, max = 3) int slots,
      @ForAll @IntRange(min = 1, max = 16) int maxCommands,
      @ForAll long seed) {
    Table table = new Table(vertx.getOrCreateContext(), guilty, new Random(seed));
    CommandBatcher<Command, Integer> gatherer = new CommandBatcher<>(
        vertx,
        new StatementSlots(table.context, slots),
        "testing",
        table,
        new BatchLimits(maxCommands, 1_000, Long.MAX_VALUE, () -> Duration.ofMinutes(1)));

    List<Future<Integer>> submitted = new ArrayList<>();
    for (int number = 0; number < keys.size(); number++) {
      submitted.add(gatherer.submit(new Command("key" + keys.get(number), number)));
    }

    for (int number = 0; number < submitted.size(); number++) {
      if (guilty.contains(number)) {
        assertThat(Database.failure(submitted.get(number))).isInstanceOf(RunlaneException.class);
      } else {
        assertThat(Database.done(submitted.get(number))).isEqualTo(number);
      }
    }
    assertThat(table.faults).isEmpty();
    assertThat(table.mostAtOnce).isLessThanOrEqualTo(slots);
    assertThat(table.done)
        .doesNotHaveDuplicates()
        .hasSize(Math.toIntExact(submitted.stream().filter(Future::succeeded).count()));
    for (int key = 0; key <= 9; key++) {
      String name = "key" + key;
      assertThat(table.done.stream()
              .filter(command -> command.key().equals(name))
              .map(Command::number)
              .collect(Collectors.toList()))
          .isSorted();
    }
  }

  private record Command(String key, int number) {}

  /** Answers a few turns later; rolls back what holds a guilty command. */
  private static final class Table implements BatchStatement<Command, Integer> {
    private final Context context;
    private final Set<Integer> guilty;
    private final Random random;
    private final Set<String> held = new HashSet<>();
    private final List<Command> done = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private int atOnce;
    private int mostAtOnce;

    Table(Context context, Set<Integer> guilty, Random random) {
      this.context = context;
      this.guilty = guilty;
      this.random = random;
    }

    @Override
    public List<String> keys(Command command) {
      return List.of(command.key());
    }

    @Override
    public Future<List<CommandOutcome<Integer>>> execute(List<Command> commands) {
      for (Command command : commands) {
        if (!held.add(command.key())) {
          faults.add(command + " was sent while its key was under way");
        }
      }
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      Promise<List<CommandOutcome<Integer>>> answered = Promise.promise();
      later(random.nextInt(4), () -> answer(commands, answered));
      return answered.future();
    }

    private void answer(List<Command> commands, Promise<List<CommandOutcome<Integer>>> answered) {
      atOnce--;
      commands.forEach(command -> held.remove(command.key()));
      if (commands.stream().anyMatch(command -> guilty.contains(command.number()))) {
        answered.fail(new PgException("rolled back", "ERROR", "22P05", null));
        return;
      }
      done.addAll(commands);
      answered.complete(commands.stream()
          .map(
              command -> (CommandOutcome<Integer>) new CommandOutcome.Succeeded<>(command.number()))
          .toList());
    }

    private void later(int turns, Runnable action) {
      context.runOnContext(turn -> {
        if (turns == 0) {
          action.run();
        } else {
          later(turns - 1, action);
        }
      });
    }
  }
}
