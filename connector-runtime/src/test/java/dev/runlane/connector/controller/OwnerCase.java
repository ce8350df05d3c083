package dev.runlane.connector.controller;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test of hosts that share a database and a folder of connectors. */
abstract class OwnerCase {
  @TempDir
  protected Path registries;

  protected OwnerScene scene;

  @BeforeEach
  void scene() {
    scene = new OwnerScene(registries);
  }

  @AfterEach
  void close() {
    scene.close();
  }
}
