/**
 * Commands that write runs, and what they answer: append, claim, heartbeat, reserve, release, prune.
 */
@NullMarked
package dev.runlane.storage.run;

import org.jspecify.annotations.NullMarked;
