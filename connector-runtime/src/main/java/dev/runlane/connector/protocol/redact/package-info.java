/**
 * Secrets kept out of everything that is stored or reported.
 */
@NullMarked
package dev.runlane.connector.protocol.redact;

import org.jspecify.annotations.NullMarked;
