/**
 * What a runtime sends a connector: START with its scope, and the replies while it runs.
 */
@NullMarked
package dev.runlane.connector.protocol.start;

import org.jspecify.annotations.NullMarked;
