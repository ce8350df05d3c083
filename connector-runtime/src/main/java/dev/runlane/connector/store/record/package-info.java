/**
 * Records in batches and cursors of streams, and why a sink did not take them.
 */
@NullMarked
package dev.runlane.connector.store.record;

import org.jspecify.annotations.NullMarked;
