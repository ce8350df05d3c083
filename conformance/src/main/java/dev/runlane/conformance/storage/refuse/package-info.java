/**
 * What a storage refuses: malformed commands, and whatever needs a capability that it does not report.
 */
@NullMarked
package dev.runlane.conformance.storage.refuse;

import org.jspecify.annotations.NullMarked;
