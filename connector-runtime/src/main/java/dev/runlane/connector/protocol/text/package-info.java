/**
 * Strict UTF-8, bounded JSON trees and timestamps.
 */
@NullMarked
package dev.runlane.connector.protocol.text;

import org.jspecify.annotations.NullMarked;
