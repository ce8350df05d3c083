/** Internal: one request and its answer: addresses, deadlines, bounds, and refusals as failures. */
@NullMarked
package dev.runlane.client.http;

import org.jspecify.annotations.NullMarked;
