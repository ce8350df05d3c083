package dev.runlane.testinfra.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("a free port")
@DisplayNameGeneration(ReplaceUnderscores.class)
class FreePortTest {
  @Test
  void is_given_out_once() {
    List<Integer> ports = IntStream.range(0, 1_000)
        .parallel()
        .map(each -> FreePort.find())
        .boxed()
        .toList();

    assertThat(ports).doesNotHaveDuplicates();
  }
}
