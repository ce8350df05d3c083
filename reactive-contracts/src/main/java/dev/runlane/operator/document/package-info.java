/** API: what operators keep for themselves: alert rules, saved filters, and what else is a small text with a name. */
@NullMarked
package dev.runlane.operator.document;

import org.jspecify.annotations.NullMarked;
