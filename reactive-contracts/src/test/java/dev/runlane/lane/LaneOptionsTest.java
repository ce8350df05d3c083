package dev.runlane.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options as an object and as JSON. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LaneOptionsTest {
  @Test
  void the_defaults_are_those_of_the_contract() {
    for (LaneOptions options :
        new LaneOptions[] {new LaneOptions(), LaneOptions.fromJson(new JsonObject())}) {
      assertThat(options.getName()).isEqualTo("lane");
      assertThat(options.isOperatorReads()).isTrue();
      assertThat(options.isProductionDurable()).isFalse();
    }
  }

  @Test
  void json_says_what_the_setters_say() {
    LaneOptions options = LaneOptions.fromJson(
        new JsonObject("{\"name\":\"orders\",\"operatorReads\":false,\"productionDurable\":true}"));
    LaneOptions copy = new LaneOptions(options);

    assertThat(copy.getName()).isEqualTo("orders");
    assertThat(copy.isOperatorReads()).isFalse();
    assertThat(copy.isProductionDurable()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"durable\":true}",
        "{\"Name\":\"orders\"}",
        "{\"name\":\"orders\",\"later\":null}",
        "{\"name\":\"\"}",
        "{\"name\":\" \"}",
        "{\"name\":null}",
        "{\"name\":1}",
        "{\"operatorReads\":\"true\"}",
        "{\"operatorReads\":null}",
        "{\"productionDurable\":1}"
      })
  void unknown_keys_and_wrong_values_are_refused(String json) {
    RunlaneException failure = catchThrowableOfType(
        RunlaneException.class, () -> LaneOptions.fromJson(new JsonObject(json)));

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
  }

  @Test
  void an_empty_name_is_refused() {
    RunlaneException failure =
        catchThrowableOfType(RunlaneException.class, () -> new LaneOptions().setName("\t"));

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
  }
}
