package dev.runlane.conformance.race.order;

import dev.runlane.conformance.drawn.Answers;
import dev.runlane.conformance.drawn.Modelled;
import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.model.Names;
import dev.runlane.run.RunlaneException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A model that is told commands together with what an adapter answered to them. */
final class Retold<A, M> {
  final M model;

  private final Modelled<A, M> contract;
  private final Names names = new Names("");
  private final Answers answers = new Answers(names);

  Retold(Modelled<A, M> contract) {
    this.contract = contract;
    this.model = contract.model(names);
  }

  boolean isPossible(Object command) {
    return contract.isPossible(model, command);
  }

  /** The command in the adapter's names. */
  Object inStorage(Object command) {
    return Objects.requireNonNull(answers.inStorage(command));
  }

  /** What the model answers; a throwable where it fails. */
  @Nullable
  Object answer(Played played) {
    names.begin(played.step().number());
    Object given = played.answer() instanceof Throwable ? null : played.answer();
    try {
      return contract.expected(model, played.step().command(), given);
    } catch (RunlaneException refusal) {
      return refusal;
    }
  }

  /** What the model answers by itself. */
  @Nullable
  Object answer(Step step) {
    return answer(new Played(step, null));
  }

  /** Where an answer of the adapter is not the model's. */
  Optional<String> difference(@Nullable Object expected, Played played) {
    return answers.difference(expected, played.answer());
  }

  /** The same of a command that the model has not answered yet. */
  Optional<String> differenceIn(Played played) {
    return difference(answer(played), played);
  }
}
