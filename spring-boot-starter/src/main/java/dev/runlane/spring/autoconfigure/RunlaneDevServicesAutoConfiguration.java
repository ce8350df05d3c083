package dev.runlane.spring.autoconfigure;

import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;

/** A Postgres for development and tests, where nobody has set one up: its data go with the process. */
@AutoConfiguration(before = {DataSourceAutoConfiguration.class, RunlaneAutoConfiguration.class})
@ConditionalOnClass(PostgresServers.class)
@ConditionalOnProperty("runlane.dev-services.enabled")
public class RunlaneDevServicesAutoConfiguration {
  /** For the class that Spring makes. */
  public RunlaneDevServicesAutoConfiguration() {}

  /** Where both the application's {@code DataSource} and Runlane lead. */
  @Bean
  @ConditionalOnMissingBean
  JdbcConnectionDetails runlaneDevDatabase() {
    return new Details(PostgresServers.shared().createDatabase("dev"));
  }

  private record Details(PostgresAddress address) implements JdbcConnectionDetails {
    @Override
    public String getUsername() {
      return address.user();
    }

    @Override
    public String getPassword() {
      return address.password();
    }

    @Override
    public String getJdbcUrl() {
      return "jdbc:postgresql://" + address.host() + ":" + address.port() + "/"
          + address.database();
    }
  }
}
