package dev.runlane.conformance.drawn;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.model.Names;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Future;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A storage and the model, which are given the same commands; its adapters take turns, as processes would. */
final class Session {
  final StorageModel model;

  private final List<StorageAdapter> adapters;
  private final Names names;
  private final Answers answers;
  private @Nullable Object expected;

  /** In environments of its own, led by {@code scope}, on which nothing was stored yet. */
  Session(List<StorageAdapter> adapters, String scope) {
    this.adapters = adapters;
    this.names = new Names(scope);
    this.answers = new Answers(names);
    this.model = new StorageModel(names);
  }

  /** Whether a caller could send the command now: it knows what it names, and says what the reducer says. */
  boolean isPossible(Step step) {
    return !answers.namesWhatNobodyKnows(step.command()) && model.isHonest(step.command());
  }

  /** Where the storage's answer to a command is not one that the contract allows. */
  Optional<String> differenceIn(Step step) {
    names.begin(step.number());
    Object sent = Objects.requireNonNull(answers.inStorage(step.command()));
    Calls.Call<Object, @Nullable Object> call = Calls.of(step.command());
    Object answer = answer(call, adapters.get(step.number() % adapters.size()), sent);
    try {
      expected =
          call.model().of(model, step.command(), answer instanceof Throwable ? null : answer);
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

  private static @Nullable Object answer(
      Calls.Call<Object, @Nullable Object> call, StorageAdapter adapter, Object command) {
    try {
      Future<@Nullable Object> answer = call.storage().apply(adapter, command);
      return Outcomes.done(answer.otherwise(failure -> failure));
    } catch (RuntimeException thrown) { // which a method never does
      return new IllegalStateException("thrown, not answered", thrown);
    }
  }
}
