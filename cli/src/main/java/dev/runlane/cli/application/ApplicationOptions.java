package dev.runlane.cli.application;

import picocli.CommandLine.Option;

/** Where a user's program is. */
final class ApplicationOptions {
  static final String CLASS_PATH = "The program: jars and folders, DIR/* for all jars of one. It"
      + " declares one RunlaneApplication for ServiceLoader.";

  @Option(
      names = {"--classpath", "-cp"},
      paramLabel = "PATH",
      required = true,
      description = CLASS_PATH)
  private String classPath = "";

  ApplicationClassPath classPath() {
    return ApplicationClassPath.of(classPath);
  }
}
