package dev.runlane.connector.controller;

import dev.runlane.connector.store.ConnectorRef;
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
   * The values of all of {@code names}; may block. Throws {@code ConfigurationInvalid}, which names the names that
   * are missing and no value.
   */
  Map<String, String> secrets(ConnectorRef connector, List<String> names);

  /**
   * Variables of an environment. The one of secret {@code SHELF_TOKEN} of connection {@code my-shelf} is {@code
   * RUNLANE_SECRET__MY_SHELF__SHELF_TOKEN}, so that a connector cannot ask for another's; connections whose ids
   * differ in case or punctuation alone share theirs.
   *
   * @param environment usually {@code System.getenv()} of the application
   */
  static SecretSource environment(Map<String, String> environment) {
    return new EnvironmentSecrets(environment);
  }

  /**
   * A JSON file: an object of connections to objects of names and values. It is read at each launch, and refused
   * unless nobody but its owner can read or write it (mode 0600 or 0400).
   */
  static SecretSource file(Path file) {
    return new FileSecrets(file);
  }
}
