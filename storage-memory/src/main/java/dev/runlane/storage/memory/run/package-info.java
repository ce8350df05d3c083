/**
 * Runs and the orders in which they are found: by queue, by task, by what is due, by free capacity. Internal:
 * not for applications.
 */
@NullMarked
package dev.runlane.storage.memory.run;

import org.jspecify.annotations.NullMarked;
