/**
 * What a storage does with a run's events and keys: appending, sequence, values, idempotency, singletons,
 * pruning.
 */
@NullMarked
package dev.runlane.conformance.storage.run;

import org.jspecify.annotations.NullMarked;
