/**
 * API: the roles of remote steps: tasks sent out to workers of other processes, and results taken in.
 */
@NullMarked
package dev.runlane.runtime.remote;

import org.jspecify.annotations.NullMarked;
