/** What can be measured, as processes of its own: this build, an earlier one, other systems, the least that does it. */
@NullMarked
package dev.runlane.benchmarks.subject;

import org.jspecify.annotations.NullMarked;
