package dev.runlane.connector.store.http;

import io.vertx.core.Future;

/** Where the owner's bearer token comes from. Asked for each call, so that a token may be renewed. */
@FunctionalInterface
public interface TokenSource {
  /** The token, without {@code Bearer}. It is kept nowhere and written to no log. */
  Future<String> token();
}
