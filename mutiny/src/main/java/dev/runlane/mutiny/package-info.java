/** Runlane with Mutiny: {@link dev.runlane.mutiny.RunlaneMutiny}. */
@NullMarked
package dev.runlane.mutiny;

import org.jspecify.annotations.NullMarked;
