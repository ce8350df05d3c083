/**
 * Child processes of servers: started in a session of their own, watched, waited for, and never left behind.
 */
@NullMarked
package dev.runlane.testinfra.process;

import org.jspecify.annotations.NullMarked;
