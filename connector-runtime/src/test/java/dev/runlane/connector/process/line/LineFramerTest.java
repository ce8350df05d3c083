package dev.runlane.connector.process.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class LineFramerTest {
  private static final int LIMIT = 1 << 20;

  private final List<String> lines = new ArrayList<>();
  private final List<Long> numbers = new ArrayList<>();

  @Test
  void only_a_line_feed_ends_a_line() throws Exception {
    assertThat(cut("a\u2028b\nc\u0085d\u2029e\rf\n")).isTrue();

    assertThat(lines).containsExactly("a\u2028b", "c\u0085d\u2029e\rf");
  }

  @Test
  void one_carriage_return_before_the_end_is_dropped_and_no_other() throws Exception {
    cut("a\r\nb\r\r\n\rc\r");

    assertThat(lines).containsExactly("a", "b\r", "\rc");
  }

  @Test
  void blank_lines_are_no_lines() throws Exception {
    cut("\n\r\n \t\r\na\n\n\n");

    assertThat(lines).containsExactly("a");
  }

  @Test
  void lines_are_numbered_as_an_editor_numbers_them() throws Exception {
    cut("\n\r\na\nb\n \nc");

    assertThat(lines).containsExactly("a", "b", "c");
    assertThat(numbers).containsExactly(3L, 4L, 6L);
  }

  @Test
  void the_last_line_needs_no_end() throws Exception {
    cut("a\nb");

    assertThat(lines).containsExactly("a", "b");
  }

  @Test
  void lines_are_the_same_however_the_bytes_arrive() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String line = "ä".repeat(1 + random.nextInt(3)) + "x".repeat(random.nextInt(3_000));
      expected.add(line);
      text.append(line).append(random.nextBoolean() ? "\r\n" : "\n");
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);

    assertThat(cut(new InPieces(bytes, random), LIMIT)).isTrue();

    assertThat(lines).as("seed %d", seed).isEqualTo(expected);
  }

  @Test
  void a_line_of_the_longest_length_is_whole_and_one_byte_more_is_too_long() throws Exception {
    assertThat(cut("x".repeat(200_000) + "\r\n" + "y\n", 200_000)).isTrue();
    assertThat(lines).extracting(String::length).containsExactly(200_000, 1);
    lines.clear();

    assertThat(cut("y\n" + "x".repeat(200_001) + "\n", 200_000)).isFalse();
    assertThat(lines).containsExactly("y");
    lines.clear();

    assertThat(cut("x".repeat(200_001), 200_000)).as("without end").isFalse();
    assertThat(lines).isEmpty();
  }

  private boolean cut(String text) throws Exception {
    return cut(text, LIMIT);
  }

  private boolean cut(String text, int limit) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return cut(Channels.newChannel(new ByteArrayInputStream(bytes)), limit);
  }

  private boolean cut(ReadableByteChannel channel, int limit) throws Exception {
    LineFramer framer = new LineFramer(limit);
    while (framer.readFrom(channel) >= 0) {
      if (!framer.emit(this::line)) {
        return false;
      }
    }
    return framer.finish(this::line);
  }

  private void line(byte[] bytes, int offset, int length, long number) {
    numbers.add(number);
    lines.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
  }

  /** Gives 1 to 5 000 bytes at a time. */
  private static final class InPieces implements ReadableByteChannel {
    private final ByteBuffer bytes;
    private final Random random;

    InPieces(byte[] bytes, Random random) {
      this.bytes = ByteBuffer.wrap(bytes);
      this.random = random;
    }

    @Override
    public int read(ByteBuffer target) {
      if (!bytes.hasRemaining()) {
        return -1;
      }
      int length =
          Math.min(1 + random.nextInt(5_000), Math.min(target.remaining(), bytes.remaining()));
      target.put(bytes.slice(bytes.position(), length));
      bytes.position(bytes.position() + length);
      return length;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
