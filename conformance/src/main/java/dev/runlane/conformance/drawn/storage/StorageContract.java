package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.drawn.Contract;
import dev.runlane.conformance.drawn.Drawing;
import dev.runlane.conformance.drawn.Shape;
import dev.runlane.conformance.model.AppendAll;
import dev.runlane.conformance.model.Names;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Future;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The contract of storages. */
public final class StorageContract implements Contract<StorageAdapter, StorageModel> {
  private final boolean operated;

  /** Of what is done to runs, with all that a storage can beside. */
  public StorageContract() {
    this(false);
  }

  private StorageContract(boolean operated) {
    this.operated = operated;
  }

  /** The same contract, with commands of operators and processes among those to runs. */
  public static StorageContract operated() {
    return new StorageContract(true);
  }

  @Override
  public StorageModel model(Names names) {
    return new StorageModel(names);
  }

  @Override
  public Drawing drawing(long seed, StorageModel model, StorageAdapter storage, boolean alone) {
    return new StorageDrawing(seed, model, Abilities.of(storage), alone, operated);
  }

  @Override
  public boolean isPossible(StorageModel model, Object command) {
    return model.isHonest(command);
  }

  @Override
  public Future<@Nullable Object> answer(StorageAdapter storage, Object command) {
    return Calls.of(command).storage().apply(storage, command);
  }

  @Override
  public @Nullable Object expected(StorageModel model, Object command, @Nullable Object answer) {
    tell(model, command);
    return Calls.of(command).model().of(model, command, answer);
  }

  /** What time it is by a command's caller. */
  private static void tell(StorageModel model, Object command) {
    Shape shape = Shape.of(command);
    int now = shape.names().indexOf("now");
    if (now >= 0 && shape.partsOf(command).get(now) instanceof Instant instant) {
      model.tell(instant);
    } else if (command instanceof AppendAll all) {
      all.commands().forEach(each -> tell(model, each));
    }
  }
}
