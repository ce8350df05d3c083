/**
 * A provider of wakeups in memory, and faults that a test injects into it or in front of any transport.
 */
@NullMarked
package dev.runlane.conformance.provider;

import org.jspecify.annotations.NullMarked;
