/** API: which ends of jobs somebody outside is notified of, and what is left to tell. */
@NullMarked
package dev.runlane.jobs.webhook;

import org.jspecify.annotations.NullMarked;
