/**
 * API: the roles that look after runs nobody holds: the dispatcher, the cancellation finalizer, retention.
 */
@NullMarked
package dev.runlane.runtime.maintenance;

import org.jspecify.annotations.NullMarked;
