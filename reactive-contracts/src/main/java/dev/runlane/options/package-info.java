/** What options objects of every module check alike. */
@NullMarked
package dev.runlane.options;

import org.jspecify.annotations.NullMarked;
