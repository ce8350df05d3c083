/** A client of the operator API. */
module dev.runlane.client {
  requires transitive dev.runlane.contracts;
  requires transitive dev.runlane.runtime;
  requires com.fasterxml.jackson.core;
  requires transitive com.fasterxml.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.runlane.client;
}
