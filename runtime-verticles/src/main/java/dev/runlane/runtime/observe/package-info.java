/**
 * API: what a runtime reports of itself while it works, for metrics, traces and the like; nobody listens unless the
 * application says so.
 */
@NullMarked
package dev.runlane.runtime.observe;

import org.jspecify.annotations.NullMarked;
