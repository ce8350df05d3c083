/** API: rules that look for what is wrong, the alerts they open, and who is told. */
@NullMarked
package dev.runlane.runtime.alert;

import org.jspecify.annotations.NullMarked;
