/**
 * Strict UTF-8, bounded JSON trees and timestamps. Internal: not for applications.
 */
@NullMarked
package dev.runlane.connector.protocol.text;

import org.jspecify.annotations.NullMarked;
