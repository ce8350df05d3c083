package dev.runlane.connector.controller.registry;

import dev.runlane.connector.store.key.ConnectorRef;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Where the secrets of connections come from. It is asked when a child is launched, and never otherwise: what it
 * answers goes into the child's environment, is not stored, and is on no command line.
 */
@FunctionalInterface
public interface SecretSource {
  /**
   * The values of all of {@code names}, of which there are some; may block, and is not called for a connection
   * while an earlier call for it has not returned. Throws {@code ConfigurationInvalid}, which names the names that are
   * missing and no value.
   */
  Map<String, String> secrets(ConnectorRef connector, List<String> names);

  /** Whether what is answered for one of these connections is answered for the other too. */
  default boolean isShared(ConnectorRef connector, ConnectorRef other) {
    return connector.equals(other);
  }

  /**
   * Variables of an environment. The one of secret {@code SHELF_TOKEN} of connection {@code my-shelf} is {@code
   * RUNLANE_SECRET__MY_SHELF__SHELF_TOKEN}, so that a connector cannot ask for another's. Connections whose ids
   * differ in case or punctuation alone would share theirs: runs that need some are not launched while there are two
   * of them that ask for secrets. The controller takes them out of what the kernel shows of this
   * process before it starts a child.
   *
   * @param environment usually {@code System.getenv()} of the application
   */
  static SecretSource environment(Map<String, String> environment) {
    return new EnvironmentSecrets(environment);
  }

  /**
   * What a launcher took out of the environment and handed over in a pipe, as {@code secrets-apart.sh} does: the same
   * variables as {@link #environment} knows, each as {@code NAME=value} with a NUL behind it. Reads the pipe to its
   * end, which empties it, so it is asked for once in a process; blocks. Without {@code RUNLANE_SECRETS} there are
   * none. Throws {@code ConfigurationInvalid} for what is no such pipe.
   *
   * @param environment usually {@code System.getenv()}; its {@code RUNLANE_SECRETS} is the pipe's path
   */
  static SecretSource handedOver(Map<String, String> environment) {
    return HandedOverSecrets.read(environment);
  }

  /**
   * A JSON file: an object of connections to objects of names and values. It is read at each launch, and refused
   * unless nobody but its owner can read or write it (mode 0600 or 0400).
   */
  static SecretSource file(Path file) {
    return new FileSecrets(file);
  }
}
