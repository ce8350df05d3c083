/** Storage and transport inside one process. */
module dev.runlane.storage.memory {
  requires transitive dev.runlane.contracts;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.runlane.storage.memory;
}
