package dev.runlane.conformance.race.order;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What one seed races. */
public interface Scene {
  /** The next of the commands that come one after the other before the race; empty when all have come. */
  Optional<Object> next();

  /** Remembers the right answer to it, in the model's names. */
  void learn(Object command, @Nullable Object answer);

  /** Commands that are started together; others each time. */
  List<Object> contenders();

  /** All that is read when they are answered. */
  List<Object> reads();
}
