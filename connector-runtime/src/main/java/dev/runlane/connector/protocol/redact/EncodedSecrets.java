package dev.runlane.connector.protocol.redact;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Values as hexadecimal digits and as base 64, plain or safe for addresses, wherever in the encoded text they begin: of
 * the three ways a value can lie across groups of three bytes, the characters that depend on nothing but the value.
 * Immutable; costs no more than a text's length for each value.
 */
final class EncodedSecrets {
  static final EncodedSecrets NONE = new EncodedSecrets(List.of());

  private static final int SHORTEST_VALUE = 4;
  private static final int SHORTEST_FORM = 6;

  /** A part of a longer value, as lines are wrapped. */
  private static final int SHORTEST_PART = 8;

  private static final int ALIGNMENTS = 3;
  private static final int BITS = 6; // of one character
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9+/_-]{6,}+={0,2}");

  private final List<Encoded> secrets;

  private EncodedSecrets(List<Encoded> secrets) {
    this.secrets = List.copyOf(secrets);
  }

  /** These and {@code values}, those that are long enough to be distinguished from other text. */
  EncodedSecrets with(Collection<String> values) {
    List<Encoded> all = new ArrayList<>(secrets);
    for (String value : values) {
      byte[] bytes = value.strip().getBytes(StandardCharsets.UTF_8);
      if (bytes.length >= SHORTEST_VALUE) {
        all.add(Encoded.of(bytes));
      }
    }
    return new EncodedSecrets(all);
  }

  /** Where words stand that hold one of the values, or a part of one. */
  List<TextRange> in(CharSequence text) {
    List<TextRange> found = new ArrayList<>();
    if (secrets.isEmpty()) {
      return found;
    }
    Matcher words = WORD.matcher(text);
    while (words.find()) {
      if (holds(words.group())) {
        found.add(new TextRange(words.start(), words.end()));
      }
    }
    return found;
  }

  private boolean holds(String padded) {
    int end = padded.indexOf('=');
    String word = end < 0 ? padded : padded.substring(0, end);
    String base64 = word.replace('-', '+').replace('_', '/');
    String hex = word.toLowerCase(Locale.ROOT);
    return secrets.stream().anyMatch(secret -> secret.isIn(base64, hex));
  }

  /**
   * One value.
   *
   * @param hex in lower case
   * @param whole its base 64 alone, without padding
   * @param inner what base 64 of a longer text that holds it has in it
   */
  private record Encoded(String hex, String whole, List<String> inner) {
    static Encoded of(byte[] value) {
      List<String> inner = new ArrayList<>();
      for (int offset = 0; offset < ALIGNMENTS; offset++) {
        String form = inner(value, offset);
        if (form.length() >= SHORTEST_FORM) {
          inner.add(form);
        }
      }
      return new Encoded(HexFormat.of().formatHex(value), base64(value), List.copyOf(inner));
    }

    boolean isIn(String base64, String hex) {
      return hex.contains(this.hex)
          || base64.equals(whole)
          || inner.stream().anyMatch(base64::contains)
          || (hex.length() >= SHORTEST_PART && isPart(base64, hex));
    }

    private boolean isPart(String base64, String lower) {
      return hex.contains(lower)
          || whole.contains(base64)
          || inner.stream().anyMatch(form -> form.contains(base64));
    }

    private static String inner(byte[] value, int offset) {
      byte[] shifted = new byte[offset + value.length];
      System.arraycopy(value, 0, shifted, offset, value.length);
      int from = (offset * Byte.SIZE + BITS - 1) / BITS;
      int to = shifted.length * Byte.SIZE / BITS;
      return base64(shifted).substring(from, to);
    }

    private static String base64(byte[] bytes) {
      return Base64.getEncoder().withoutPadding().encodeToString(bytes);
    }
  }
}
