/** Lines that handlers write of their run. */
@NullMarked
package dev.runlane.operator.log;

import org.jspecify.annotations.NullMarked;
