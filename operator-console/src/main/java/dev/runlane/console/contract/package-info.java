/** Internal: the OpenAPI document, and requests held to it. */
@NullMarked
package dev.runlane.console.contract;

import org.jspecify.annotations.NullMarked;
