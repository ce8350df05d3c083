/** Internal: answers as records; what a later server adds to them is passed over. */
@NullMarked
package dev.runlane.client.read;

import org.jspecify.annotations.NullMarked;
