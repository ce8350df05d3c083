/**
 * Lines in and out: what START must hold, what a message must obey, and questions that wait for answers.
 * Internal: not for applications.
 */
@NullMarked
package dev.runlane.connectorkit.wire;

import org.jspecify.annotations.NullMarked;
