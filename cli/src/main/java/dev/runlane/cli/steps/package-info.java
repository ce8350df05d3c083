/** The commands on remote steps that wait for a worker of another process. */
@NullMarked
package dev.runlane.cli.steps;

import org.jspecify.annotations.NullMarked;
