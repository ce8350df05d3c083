package dev.runlane.steps.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.steps.sql.postgres.PgStepTables;
import dev.runlane.steps.sql.row.StepTables;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.sql.worker.SqlStepWorkerOptions;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Without the MySQL client on the class path, where it need not be. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class OptionalClientTest {
  @Test
  void who_uses_postgres_needs_no_mysql_client() throws Exception {
    try (URLClassLoader without = new WithoutMysql()) {
      for (Class<?> used : List.of(
          SqlStepTransport.class,
          SqlStepOptions.class,
          SqlStepWorker.class,
          SqlStepWorkerOptions.class,
          PgStepTables.class,
          StepTables.class)) {
        Class<?> loaded = Class.forName(used.getName(), true, without);

        assertThat(loaded).isNotSameAs(used);
        assertThat(loaded.getDeclaredMethods()).isNotEmpty();
        assertThat(loaded.getDeclaredConstructors()).isNotNull();
      }
      assertThatThrownBy(
              () -> Class.forName(MysqlSteps.class.getName(), true, without).getDeclaredMethods())
          .isInstanceOf(NoClassDefFoundError.class);
    }
  }

  /** Loads everything itself, but for the JDK. */
  private static final class WithoutMysql extends URLClassLoader {
    WithoutMysql() throws IOException {
      super(classPath(), ClassLoader.getPlatformClassLoader());
    }

    private static URL[] classPath() {
      return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
          .map(WithoutMysql::url)
          .toArray(URL[]::new);
    }

    private static URL url(String entry) {
      try {
        return Path.of(entry).toUri().toURL();
      } catch (IOException impossible) {
        throw new IllegalStateException(impossible);
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith("io.vertx.mysqlclient.")) {
        throw new ClassNotFoundException(name);
      }
      return super.findClass(name);
    }
  }
}
