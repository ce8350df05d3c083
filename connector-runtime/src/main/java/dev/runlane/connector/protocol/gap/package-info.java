/**
 * Gaps: what a run could not collect and what may be done about it.
 */
@NullMarked
package dev.runlane.connector.protocol.gap;

import org.jspecify.annotations.NullMarked;
