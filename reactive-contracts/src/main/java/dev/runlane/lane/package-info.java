/** A lane: one storage and one transport, put together and started and closed in the right order. */
@NullMarked
package dev.runlane.lane;

import org.jspecify.annotations.NullMarked;
