package dev.runlane.conformance.drawn;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commands of one seed: each is drawn when those before it were answered, since it may refer to them. */
public interface Drawing {
  /** A command that may change something. */
  Object next();

  /** Whether a question follows the command. */
  boolean looks();

  /** A question about a part of what is stored. */
  Object look();

  /** All that can be read, at the end. */
  List<Object> everything();

  /** Remembers an answer, in the model's names. */
  void learn(Object command, @Nullable Object answer);
}
