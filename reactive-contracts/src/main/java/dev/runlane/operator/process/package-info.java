/** API: the processes of a fleet: their signs of life and the leases that they hold. */
@NullMarked
package dev.runlane.operator.process;

import org.jspecify.annotations.NullMarked;
