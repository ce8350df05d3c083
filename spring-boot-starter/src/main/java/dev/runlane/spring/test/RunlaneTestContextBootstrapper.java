package dev.runlane.spring.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Finds the application's configuration for {@link RunlaneTest}. */
class RunlaneTestContextBootstrapper extends TestSliceTestContextBootstrapper<RunlaneTest> {
  RunlaneTestContextBootstrapper() {}
}
