/**
 * Secrets kept out of everything that is stored or told.
 */
@NullMarked
package dev.runlane.connector.protocol.redact;

import org.jspecify.annotations.NullMarked;
