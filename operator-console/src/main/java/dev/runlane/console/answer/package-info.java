/** Internal: what is written back: answers, refusals in the one envelope, CSV, security headers. */
@NullMarked
package dev.runlane.console.answer;

import org.jspecify.annotations.NullMarked;
