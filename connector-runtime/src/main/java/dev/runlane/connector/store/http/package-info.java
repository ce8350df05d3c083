/** Records and cursors of connector runs at a resource server, over its HTTP API. */
@NullMarked
package dev.runlane.connector.store.http;

import org.jspecify.annotations.NullMarked;
