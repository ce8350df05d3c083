/** API: which ends of runs somebody outside is notified of, and what is left to tell. */
@NullMarked
package dev.runlane.operator.webhook;

import org.jspecify.annotations.NullMarked;
