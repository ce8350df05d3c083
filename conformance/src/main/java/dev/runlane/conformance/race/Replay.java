package dev.runlane.conformance.race;

import dev.runlane.conformance.drawn.Answers;
import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.drawn.storage.Calls;
import dev.runlane.conformance.model.Names;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.conformance.race.order.Played;
import dev.runlane.run.RunlaneException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A model that is given commands together with the answers that a storage gave to them. */
final class Replay {
  final StorageModel model;

  private final Names names;
  private final Answers answers;

  /** {@code scope} leads the names of environments in the storage. */
  Replay(String scope) {
    this.names = new Names(scope);
    this.answers = new Answers(names);
    this.model = new StorageModel(names);
  }

  /** The command in the storage's names. */
  Object inStorage(Object command) {
    return Objects.requireNonNull(answers.inStorage(command));
  }

  /** What the model answers; a throwable where it fails. */
  @Nullable
  Object answer(Step step, @Nullable Object given) {
    names.begin(step.number());
    try {
      return Calls.of(step.command())
          .model()
          .of(model, step.command(), given instanceof Throwable ? null : given);
    } catch (RunlaneException refusal) {
      return refusal;
    }
  }

  /** Where the storage's answer is not one that the model allows. */
  Optional<String> differenceIn(Played played) {
    return difference(answer(played.step(), played.answer()), played.answer());
  }

  /** Where an answer of the storage is not the model's. */
  Optional<String> difference(@Nullable Object expected, @Nullable Object found) {
    return answers.difference(expected, found);
  }
}
