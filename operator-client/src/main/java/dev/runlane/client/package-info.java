/** API: {@link dev.runlane.client.ApiClient}, what an operator can do over HTTP, typed by the contracts' records. */
@NullMarked
package dev.runlane.client;

import org.jspecify.annotations.NullMarked;
