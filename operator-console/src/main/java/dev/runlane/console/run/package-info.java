/** Internal: the routes of runs, tasks and queues. */
@NullMarked
package dev.runlane.console.run;

import org.jspecify.annotations.NullMarked;
