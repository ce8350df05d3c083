/**
 * The runtime: tasks and queues, the {@link dev.runlane.runtime.Runlane} facade, and one verticle for each
 * role that runs or maintains runs.
 */
@NullMarked
package dev.runlane.runtime;

import org.jspecify.annotations.NullMarked;
