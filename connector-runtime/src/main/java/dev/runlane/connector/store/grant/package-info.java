/**
 * Grants of an owner: which access a connection has and whether it is used up.
 */
@NullMarked
package dev.runlane.connector.store.grant;

import org.jspecify.annotations.NullMarked;
