/** Which remote steps wait for workers, and in which groups. */
@NullMarked
package dev.runlane.operator.step;

import org.jspecify.annotations.NullMarked;
