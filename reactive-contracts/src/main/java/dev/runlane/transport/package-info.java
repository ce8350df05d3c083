/**
 * What a transport promises: it wakes workers and nothing else. A wakeup names a run; payloads and run
 * state stay in storage, so a wakeup that is lost, late or doubled costs time at most.
 */
@NullMarked
package dev.runlane.transport;

import org.jspecify.annotations.NullMarked;
