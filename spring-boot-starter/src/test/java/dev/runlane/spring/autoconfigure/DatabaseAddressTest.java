package dev.runlane.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.postgres.LoginOptions;
import dev.runlane.postgres.PgTuning;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.spring.RunlaneProperties;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;
import org.postgresql.util.PSQLException;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** Where the runs are, by the application's own DataSource. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class DatabaseAddressTest {
  @Test
  void tls_of_the_data_source_is_taken_along_and_other_parameters_are_not() {
    PgConnectOptions options = of(
        "jdbc:postgresql://db.example:6432/shop?sslmode=verify-full&sslrootcert=/etc/ca.pem&currentSchema=x");

    assertThat(options.getHost()).isEqualTo("db.example");
    assertThat(options.getPort()).isEqualTo(6432);
    assertThat(options.getDatabase()).isEqualTo("shop");
    assertThat(options.getSslMode()).isEqualTo(SslMode.VERIFY_FULL);
    assertThat(options.getProperties())
        .containsEntry("sslrootcert", "/etc/ca.pem")
        .doesNotContainKey("currentSchema");
    assertThat(of("jdbc:postgresql://db.example/shop").getSslMode()).isEqualTo(SslMode.DISABLE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ssl",
        "ssl=",
        "ssl=true",
        "ssl=TRUE",
        "ssl=false",
        "ssl=yes",
        "sslmode=require&ssl=true",
        "ssl=true&sslmode=require",
        "ssl=false&sslmode=verify-ca",
        "ssl=true&sslmode=disable"
      })
  void tls_is_asked_for_as_the_driver_does(String parameters) throws PSQLException {
    String url = "jdbc:postgresql://db.example/shop?" + parameters;
    String ofTheDriver = org.postgresql.jdbc.SslMode.of(Driver.parseURL(url, null)).value;

    // What the driver would like at most is not asked for here, where nothing is said.
    assertThat(of(url).getSslMode().value)
        .isEqualTo(ofTheDriver.equals("prefer") ? "disable" : ofTheDriver);
  }

  @Test
  void several_hosts_are_taken_along_whichever_of_them_the_driver_prefers() {
    PgConnectOptions options = of(
        "jdbc:postgresql://one.example,[::1]:6432,other.example/shop?targetServerType=preferSecondary");

    assertThat(options.getHost()).isEqualTo("one.example,[::1]:6432,other.example");
    assertThat(options.getPort()).isEqualTo(5432);
    assertThat(options.getDatabase()).isEqualTo("shop");
    assertThat(options.getUser()).isEqualTo("me");
  }

  @Test
  void what_cannot_be_taken_along_is_refused() {
    for (String url : new String[] {
      "jdbc:postgresql://db.example/shop?sslmode=verify-full&sslcert=/etc/me.pem",
      "jdbc:postgresql://db.example/shop?sslmode=sometimes",
      "jdbc:postgresql://db.example:70000/shop",
      "jdbc:postgresql://db.example/shop?password=%zz",
      "jdbc:h2:mem:shop"
    }) {
      RunlaneException failure = catchThrowableOfType(RunlaneException.class, () -> of(url));
      assertThat(failure.code()).as(url).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
      assertThat(failure.getCause()).as(url).isNull(); // its message might have the password
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://shop_db/shop",
        "jdbc:postgresql://[::1]:6432/shop",
        "jdbc:postgresql://db.example/shop?user=another&password=theirs",
        "jdbc:postgresql://db.example/shop?user=another&password=p|q{}#^",
        "jdbc:postgresql://db.example/shop?password=a%26b+c&user=%C3%A4",
        "jdbc:postgresql://db.example/my%20shop"
      })
  void an_address_is_read_as_by_the_driver(String url) throws PSQLException {
    Properties given = new Properties();
    given.setProperty("user", "me");
    given.setProperty("password", "secret");
    Properties ofTheDriver = Driver.parseURL(url, given);

    PgConnectOptions options = of(url);

    assertThat(options.getHost())
        .isEqualTo(ofTheDriver.getProperty("PGHOST").replaceAll("[\\[\\]]", ""));
    assertThat(options.getPort()).isEqualTo(Integer.parseInt(ofTheDriver.getProperty("PGPORT")));
    assertThat(options.getDatabase()).isEqualTo(ofTheDriver.getProperty("PGDBNAME"));
    assertThat(options.getUser()).isEqualTo(ofTheDriver.getProperty("user"));
    assertThat(options.getPassword()).isEqualTo(ofTheDriver.getProperty("password"));
  }

  @Test
  void each_connection_has_the_user_and_the_password_that_a_bean_answers_then() {
    List<String> answers = new ArrayList<>(List.of("first", "first", "second"));
    PgConnectOptions options =
        of("jdbc:postgresql://db.example/shop?user=of_the_url", () -> answers.remove(0));
    Vertx vertx = Vertx.vertx();

    PgConnectOptions first = LoginOptions.current(vertx, options).result();
    PgConnectOptions second =
        LoginOptions.current(vertx, PgTuning.plain(options)).result();
    vertx.close().await();

    assertThat(first.getPassword()).isEqualTo("first");
    assertThat(second.getPassword()).isEqualTo("second");
    assertThat(second.getUser()).isEqualTo("of_the_url");
  }

  @Test
  void a_data_source_of_the_applications_own_needs_to_say_where_it_leads() {
    assertThat(catchThrowableOfType(
            RunlaneException.class, () -> DatabaseAddress.of(properties(), null)))
        .hasMessageContaining("JdbcConnectionDetails");
  }

  @Test
  void a_start_or_a_stop_takes_a_hundred_years_at_most() {
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    Duration second = Duration.ofSeconds(1);

    for (Callable<RunlaneProperties> built : List.<Callable<RunlaneProperties>>of(
        () -> properties(endless, second), () -> properties(second, endless))) {
      assertThat(catchThrowableOfType(RunlaneException.class, built::call).code())
          .isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    }
  }

  private static RunlaneProperties properties() {
    return properties(Duration.ofSeconds(1), Duration.ofSeconds(1));
  }

  private static RunlaneProperties properties(Duration startTimeout, Duration stopTimeout) {
    return new RunlaneProperties(
        null,
        "runlane",
        "default",
        true,
        true,
        16,
        Map.of(),
        startTimeout,
        stopTimeout,
        null,
        new RunlaneProperties.DevServices(false));
  }

  private static PgConnectOptions of(String url) {
    return of(url, () -> "secret");
  }

  private static PgConnectOptions of(String url, Supplier<String> password) {
    return DatabaseAddress.of(properties(), new JdbcConnectionDetails() {
      @Override
      public @Nullable String getUsername() {
        return "me";
      }

      @Override
      public @Nullable String getPassword() {
        return password.get();
      }

      @Override
      public String getJdbcUrl() {
        return url;
      }
    });
  }
}
