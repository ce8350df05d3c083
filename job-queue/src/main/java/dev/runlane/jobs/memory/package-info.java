/** Jobs in the memory of one process, for tests and first steps. */
@NullMarked
package dev.runlane.jobs.memory;

import org.jspecify.annotations.NullMarked;
