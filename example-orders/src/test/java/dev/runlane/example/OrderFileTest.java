package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OrderFileTest {
  private static final String GOOD =
      "{\"order\":\"o1\",\"merchant\":\"m\",\"card\":\"c\",\"amountCents\":5}";

  @TempDir
  private Path folder;

  private OrderFile read(String text) throws IOException {
    return OrderFile.read(Files.writeString(folder.resolve("orders.jsonl"), text));
  }

  @Test
  void orders_and_cancellations_keep_the_order_of_the_file() throws IOException {
    OrderFile file = read(GOOD + "\n\n{\"cancel\":\"o1\",\"reason\":\"changed my mind\"}\r\n"
        + GOOD.replace("o1", "o2").replace("5}", "7,\"chargeAfterSeconds\":3}"));

    assertThat(file.orders())
        .containsExactly(new Order("o1", "m", "c", 5, 0), new Order("o2", "m", "c", 7, 3));
    assertThat(file.cancellations()).containsExactly(new Cancellation("o1", "changed my mind"));
    assertThat(file.rejected()).isEmpty();
  }

  @Test
  void nothing_is_read_from_an_empty_file() throws IOException {
    assertThat(read("")).isEqualTo(read("\n  \n"));
    assertThat(read("").orders()).isEmpty();
  }

  @Test
  void a_byte_order_mark_is_no_part_of_the_first_line() throws IOException {
    assertThat(read("\uFEFF" + GOOD).orders()).hasSize(1);
  }

  @Test
  void an_order_counts_once() throws IOException {
    OrderFile file = read(GOOD + "\n" + GOOD);

    assertThat(file.orders()).hasSize(1);
    assertThat(file.rejected())
        .containsExactly(new OrderFile.RejectedLine(2, "order o1 is on line 1 already"));
  }

  @Test
  void bytes_that_are_no_text_spoil_their_line_only() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(new byte[] {'{', (byte) 0xC3, (byte) 0x28, '}', '\n'});
    bytes.write(GOOD.getBytes(StandardCharsets.UTF_8));
    Path file = Files.write(folder.resolve("bytes.jsonl"), bytes.toByteArray());

    assertThat(OrderFile.read(file).orders()).hasSize(1);
    assertThat(OrderFile.read(file).rejected())
        .containsExactly(new OrderFile.RejectedLine(1, "not UTF-8"));
  }

  @Test
  void a_line_without_end_is_not_read_as_one() throws IOException {
    OrderFile file = read("[" + "1,".repeat(40_000) + "1]\n" + GOOD);

    assertThat(file.orders()).hasSize(1);
    assertThat(file.rejected())
        .containsExactly(new OrderFile.RejectedLine(1, "longer than 65536 characters"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
      nonsense                                                         | not JSON: Unrecognized token
      {"order":"o"} {"order":"o"}                                      | not JSON: Trailing token
      [1]                                                              | not a JSON object
      null                                                             | not a JSON object
      {}                                                               | field order is missing
      {"order":7}                                                      | field order must be text
      {"order":" "}                                                    | field order must be text
      {"order":"a:b"}                                                  | field order must have at most 100
      {"order":"a\\u0000b"}                                            | field order must have at most 100
      {"order":"o","merchant":"m"}                                     | field card is missing
      {"order":"o","merchant":"m","card":"c"}                          | field amountCents must be a whole
      {"order":"o","merchant":"m","card":"c","amountCents":"5"}        | field amountCents must be a whole
      {"order":"o","merchant":"m","card":"c","amountCents":0}          | field amountCents must be a whole
      {"order":"o","merchant":"m","card":"c","amountCents":1.5}        | field amountCents must be a whole
      {"order":"o","merchant":"m","card":"c","amountCents":99999999999999999999} | field amountCents must be
      {"order":"o","merchant":"m","card":"c","amountCents":5,"chargeAfterSeconds":-1} | field chargeAfterSeconds
      {"cancel":"o"}                                                   | field reason is missing
      """)
  void a_bad_line_says_what_is_wrong_with_it(String line, String reason) throws IOException {
    OrderFile file = read(GOOD + "\n" + line);

    assertThat(file.orders()).hasSize(1);
    assertThat(file.rejected()).singleElement().satisfies(rejected -> {
      assertThat(rejected.number()).isEqualTo(2);
      assertThat(rejected.reason()).startsWith(reason);
    });
  }
}
