/**
 * Storage and transport inside one process, for tests and first steps. The storage keeps the whole
 * contract, races included; it forgets everything with its process.
 */
@NullMarked
package dev.runlane.storage.memory;

import org.jspecify.annotations.NullMarked;
