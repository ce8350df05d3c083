package dev.runlane.conformance.drawn;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.model.Names;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Adapters and the model, which are given the same commands; the adapters take turns, as processes would. */
final class Session<A, M> implements AutoCloseable {
  final M model;

  private final Contract<A, M> contract;
  private final List<A> adapters;
  private final Names names;
  private final Answers answers;
  private @Nullable Object expected;

  /** In environments of its own, led by {@code scope}, on which nothing was stored yet. */
  Session(Contract<A, M> contract, List<A> adapters, String scope) {
    this.contract = contract;
    this.adapters = adapters;
    this.names = new Names(scope);
    this.answers = new Answers(names);
    this.model = contract.model(names);
  }

  /** Whether a caller could send the command now: it knows what it names, and what else the contract asks of it. */
  boolean isPossible(Step step) {
    return !answers.namesWhatNobodyKnows(step.command())
        && contract.isPossible(model, step.command());
  }

  /** Where the adapter's answer to a command is not one that the contract allows. */
  Optional<String> differenceIn(Step step) {
    names.begin(step.number());
    Object sent = Objects.requireNonNull(answers.inStorage(step.command()));
    Object answer = answer(adapters.get(step.number() % adapters.size()), sent);
    try {
      expected =
          contract.expected(model, step.command(), answer instanceof Throwable ? null : answer);
    } catch (RunlaneException refusal) {
      expected = refusal;
    }
    return answers.difference(expected, answer);
  }

  /** The right answer to the latest command, in the model's names. */
  @Nullable
  Object expected() {
    return expected;
  }

  @Override
  public void close() {
    contract.clear(adapters.get(0), model);
  }

  private @Nullable Object answer(A adapter, Object command) {
    try {
      Future<@Nullable Object> answer = contract.answer(adapter, command);
      return Outcomes.done(answer.otherwise(failure -> failure));
    } catch (RuntimeException thrown) { // which a method never does
      return new IllegalStateException("thrown, not answered", thrown);
    }
  }
}
