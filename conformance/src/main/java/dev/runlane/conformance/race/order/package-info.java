/** What races of any contract have in common: an order of the commands is looked for that the model answers alike. */
@NullMarked
package dev.runlane.conformance.race.order;

import org.jspecify.annotations.NullMarked;
