/**
 * Lines of a connector, checked one by one: {@code MessageReader} turns each into a message or a violation.
 */
@NullMarked
package dev.runlane.connector.protocol.read;

import org.jspecify.annotations.NullMarked;
