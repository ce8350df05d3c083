package dev.runlane.testinfra.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.process.ProgramRun;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PostgresInstallationTest {
  /** An initdb before 16 ends with an error at a setting. */
  @Test
  void settings_are_given_to_an_initdb_that_knows_them() {
    assertThat(major("initdb (PostgreSQL) 13.23")).isEqualTo(13);
    assertThat(major("initdb (PostgreSQL) 18.1 (Debian 18.1-1)")).isEqualTo(18);
    assertThat(major("initdb (PostgreSQL) 19devel")).isEqualTo(19);
    assertThat(major("something else")).isZero();
  }

  private static int major(String said) {
    return PostgresInstallation.major(new ProgramRun(0, said));
  }
}
