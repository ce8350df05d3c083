/**
 * Real servers for tests and development. Everything here blocks: it starts processes and waits for
 * them, so it must never be called on an event loop.
 */
@NullMarked
package dev.runlane.testinfra;

import org.jspecify.annotations.NullMarked;
