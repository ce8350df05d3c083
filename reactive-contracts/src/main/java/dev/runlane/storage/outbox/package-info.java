/**
 * Wakeups that a storage keeps until a transport has published them, and the view of what became of them.
 */
@NullMarked
package dev.runlane.storage.outbox;

import org.jspecify.annotations.NullMarked;
