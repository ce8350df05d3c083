/** Tests of tasks in virtual time: a runtime with all its roles on a lane in memory, and assertions on its runs. */
@NullMarked
package dev.runlane.testing;

import org.jspecify.annotations.NullMarked;
