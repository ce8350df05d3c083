package dev.runlane.testinfra.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresAddressTest {

  @Test
  void a_written_address_reads_back_whatever_it_holds() {
    PostgresAddress address = new PostgresAddress("::1", 15432, "a/b c", "us:er@", "p%a+ss?w#ö");

    assertThat(PostgresAddress.parse(address.toUri())).isEqualTo(address);
  }

  @Test
  void what_is_missing_has_the_defaults_of_postgres() {
    assertThat(PostgresAddress.parse("postgres://db.test"))
        .isEqualTo(new PostgresAddress("db.test", 5432, "postgres", "postgres", ""));
    assertThat(PostgresAddress.parse("postgresql://ann@db.test/"))
        .isEqualTo(new PostgresAddress("db.test", 5432, "ann", "ann", ""));
  }

  @Test
  void the_text_form_hides_the_password() {
    PostgresAddress address = new PostgresAddress("db.test", 5432, "orders", "ann", "secret");

    assertThat(address).hasToString("postgresql://ann@db.test:5432/orders");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mysql://ann:secret@db.test/orders",
        "postgresql:///orders",
        "postgresql://ann:secret@db.test/orders?sslmode=require",
        "postgresql://ann:secret@db test/orders",
        "postgresql://ann:secret@db.test:70000/orders",
        "db.test"
      })
  void anything_else_is_refused_without_repeating_the_password(String uri) {
    assertThatThrownBy(() -> PostgresAddress.parse(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret")
        .hasNoCause();
  }
}
