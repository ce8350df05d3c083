package dev.runlane.testinfra.mariadb;

import java.io.IOException;
import java.nio.file.Path;

/** A MariaDB in the folder given, or a temporary one, until standard input ends. */
final class MariadbProgram {
  private MariadbProgram() {}

  public static void main(String[] arguments) throws IOException {
    EmbeddedMariadb.Builder builder = EmbeddedMariadb.builder();
    if (arguments.length > 0) {
      builder.dataFolder(Path.of(arguments[0]));
    }
    try (EmbeddedMariadb server = builder.start()) {
      System.out.println(server.address("mysql").toUri());
      System.out.println(server.origin());
      System.in.transferTo(System.out);
    }
  }
}
