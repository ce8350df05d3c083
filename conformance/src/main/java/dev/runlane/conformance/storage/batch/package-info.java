/**
 * Many commands in one call, each decided as if it had come alone.
 */
@NullMarked
package dev.runlane.conformance.storage.batch;

import org.jspecify.annotations.NullMarked;
