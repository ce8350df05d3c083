/**
 * API: webhooks: who outside is notified of the ends of runs, and the role that notifies them.
 */
@NullMarked
package dev.runlane.runtime.webhook;

import org.jspecify.annotations.NullMarked;
