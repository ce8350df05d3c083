/** API: the tags of runs, and runs by their tags. */
@NullMarked
package dev.runlane.operator.tag;

import org.jspecify.annotations.NullMarked;
