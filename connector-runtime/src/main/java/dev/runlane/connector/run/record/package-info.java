/**
 * Records and cursors on their way from the child to the sink, in batches and checkpoints. Internal: not for
 * applications.
 */
@NullMarked
package dev.runlane.connector.run.record;

import org.jspecify.annotations.NullMarked;
