package dev.runlane.runtime.create;

import dev.runlane.runtime.process.RunCreations;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.StorageAdapter;
import java.util.Optional;

/**
 * The storage as one that wakes for what it creates. Not nested in {@link Triggers}: JDK 17's javadoc ends with an
 * error at a signature of a documented class with a type of another package that is not documented and has one nested.
 *
 * @param storage the view
 * @param creations creates runs in it
 * @param batch creates many at once in it
 */
public record WakingCreations(
    StorageAdapter storage, RunCreations creations, Optional<BatchStorage> batch) {}
