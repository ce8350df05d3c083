package dev.runlane.connector.run.request;

import dev.runlane.connector.store.key.RunIdentity;

/** Who watches the runs that a controller's process launches, such as metrics. For any thread. */
@FunctionalInterface
public interface RunObservers {
  /** Nobody. */
  RunObservers NONE = run -> RunObserver.NONE;

  /** Who watches a run that is about to be launched; not null. */
  RunObserver of(RunIdentity run);
}
