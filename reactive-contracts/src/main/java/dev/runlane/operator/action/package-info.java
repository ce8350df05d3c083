/** What operators did, by whom and why: recorded before it is done, and how it ended. */
@NullMarked
package dev.runlane.operator.action;

import org.jspecify.annotations.NullMarked;
