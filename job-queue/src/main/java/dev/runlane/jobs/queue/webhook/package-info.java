/** API: webhooks of jobs: who outside is notified of the ends of jobs, and the verticle that notifies them. */
@NullMarked
package dev.runlane.jobs.queue.webhook;

import org.jspecify.annotations.NullMarked;
