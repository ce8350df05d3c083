/**
 * What a connector says: one class for each message, and violations.
 */
@NullMarked
package dev.runlane.connector.protocol.message;

import org.jspecify.annotations.NullMarked;
