/** API: alerts, their history, and who is still to be told of them. */
@NullMarked
package dev.runlane.operator.alert;

import org.jspecify.annotations.NullMarked;
