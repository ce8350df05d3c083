package dev.runlane.connector.protocol.redact;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.protocol.text.ReaderLimits;
import dev.runlane.connector.protocol.text.Texts;
import dev.runlane.json.ExactTrees;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes secrets out of what one run's connector wrote, before it is stored, logged or shown. Knows the
 * values that were given to this run, by its launch or by its owner's answers, as they are and as they look inside
 * JSON, inside an address (any percent-encoding), in base 64 (both alphabets, also within something longer) and in
 * hexadecimal digits; and the shapes that secrets have. Replaces them by {@link #MARK}; text without them stays as
 * it is.
 *
 * <p>Safe for use by any thread. {@link #toString()} shows nothing.
 */
public final class Redaction {
  /** What stands in the place of a secret = {@value}. */
  public static final String MARK = "[REDACTED]";

  /** Most values that are remembered, each in its forms = {@value}. */
  public static final int MOST_VALUES = 4096;

  /** Shorter values are only replaced where they stand alone, or every text would be full of marks. */
  private static final int SHORTEST_ANYWHERE = 4;

  /** How far a text is looked at behind what is kept of it, at least. */
  private static final int LEAST_AHEAD = 4096;

  /** Most characters that one character of a value becomes: three bytes, percent-encoded. */
  private static final int LONGEST_FORM = 9;

  private static final JsonMapper MAPPER =
      ExactTrees.mapper(JsonTrees.factory(ReaderLimits.DEFAULT));

  private volatile List<Pattern> values = List.of();
  private int secretCount; // under this object's lock
  private volatile EncodedSecrets encoded = EncodedSecrets.NONE;
  private volatile long ahead = LEAST_AHEAD;

  /** A redaction that knows no values yet. */
  public Redaction() {}

  /**
   * Takes these values, such as the secrets a connector was launched with, for secret from now on. Fails with
   * {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED}, and takes none, when there are more than {@value
   * #MOST_VALUES}.
   */
  public synchronized void add(Collection<String> secrets) {
    if (secretCount + secrets.size() > MOST_VALUES) {
      throw RunlaneException.validationFailed(
          "a run can have at most %d secret values", MOST_VALUES);
    }
    Set<String> forms = new LinkedHashSet<>();
    secrets.forEach(secret -> addForms(secret, forms));
    List<Pattern> extended = new ArrayList<>(values);
    forms.stream()
        .sorted(Comparator.comparingInt(String::length).reversed()) // the longest match wins
        .map(Redaction::pattern)
        .forEach(extended::add);
    for (String secret : secrets) {
      ahead = Math.max(ahead, (long) secret.length() * LONGEST_FORM);
    }
    secretCount += secrets.size();
    encoded = encoded.with(secrets);
    values = List.copyOf(extended);
  }

  /** Takes every text and number in an owner's answer for secret from now on; fails as {@link #add} does. */
  public void addAnswer(Json answer) {
    try {
      List<String> found = new ArrayList<>();
      collect(MAPPER.readTree(answer.text()), found);
      add(found);
    } catch (JsonProcessingException malformed) {
      throw RunlaneException.validationFailed("the answer is not JSON"); // without its text
    }
  }

  /** For names and short reasons: takes out known values and named credentials only. */
  public String name(String text) {
    return SecretShapes.credentials(known(text));
  }

  /** For messages to people: what {@link #name} takes out, and one-time codes. */
  public String message(String text) {
    return SecretShapes.codes(name(text));
  }

  /** For text nobody wrote for the owner, such as stderr: what {@link #message} takes out, and opaque words. */
  public String output(String text) {
    return SecretShapes.codes(SecretShapes.opaqueWords(name(text)));
  }

  /**
   * The beginning of {@link #name}, at most {@code most} characters; costs no more than that and the longest value
   * known, however long the text.
   */
  public String name(String text, int most) {
    return Texts.cut(name(head(text, most)), most);
  }

  /** The beginning of {@link #message}, as {@link #name(String, int)}. */
  public String message(String text, int most) {
    return Texts.cut(message(head(text, most)), most);
  }

  /** The beginning of {@link #output}, as {@link #name(String, int)}. */
  public String output(String text, int most) {
    return Texts.cut(output(head(text, most)), most);
  }

  /** Enough of the text that a secret which begins in what is kept is seen whole. */
  private String head(String text, int most) {
    long enough = most + ahead;
    return text.length() <= enough ? text : Texts.head(text, (int) enough);
  }

  /** Whether a known value is in the text. For JSON that is kept whole or not at all. */
  public boolean finds(String text) {
    return !known(text).equals(text);
  }

  private String known(String text) {
    String clean = text;
    for (Pattern value : values) {
      clean = value.matcher(clean).replaceAll(MARK);
    }
    clean = TextRange.replaced(clean, encoded.in(clean), MARK);
    if (clean.indexOf('%') >= 0) {
      clean = decoded(clean, '\0');
    }
    return clean.indexOf('+') >= 0 ? decoded(clean, '+') : clean;
  }

  /** Without the values that are seen once the text is decoded. */
  private String decoded(String text, char space) {
    if (values.isEmpty()) {
      return text;
    }
    DecodedText decoded = DecodedText.of(text, space);
    List<TextRange> found = new ArrayList<>();
    for (Pattern value : values) {
      Matcher matcher = value.matcher(decoded.decoded());
      while (matcher.find()) {
        found.add(decoded.source(matcher.start(), matcher.end()));
      }
    }
    encoded.in(decoded.decoded()).stream()
        .map(range -> decoded.source(range.from(), range.to()))
        .forEach(found::add);
    return TextRange.replaced(text, found, MARK);
  }

  private static void collect(JsonNode node, List<String> into) {
    if (node.isTextual() || node.isNumber()) {
      into.add(node.asText());
    }
    node.forEach(child -> collect(child, into));
  }

  /** The value, and how it looks inside JSON; how it looks inside an address is seen in the decoded text. */
  private static void addForms(String value, Set<String> into) {
    String trimmed = value.strip();
    if (trimmed.isEmpty()) {
      return;
    }
    into.add(value);
    into.add(trimmed);
    String quoted = MAPPER.getNodeFactory().textNode(trimmed).toString();
    String inJson = quoted.substring(1, quoted.length() - 1);
    for (String form : List.of(inJson, ascii(inJson, "\\u%04x"), ascii(inJson, "\\u%04X"))) {
      into.add(form);
      into.add(form.replace("/", "\\/")); // as PHP and many templates write it
    }
    trimmed.lines().filter(line -> line.length() >= SHORTEST_ANYWHERE).forEach(into::add);
  }

  /** As encoders write it that keep to ASCII. */
  private static String ascii(String inJson, String escape) {
    StringBuilder ascii = new StringBuilder(inJson.length());
    inJson
        .chars()
        .forEach(each ->
            ascii.append(each < 128 ? String.valueOf((char) each) : escape.formatted(each)));
    return ascii.toString();
  }

  private static Pattern pattern(String value) {
    String literal = Pattern.quote(value);
    return Pattern.compile(
        value.length() >= SHORTEST_ANYWHERE
            ? literal
            : "(?<![\\p{L}\\p{N}])" + literal + "(?![\\p{L}\\p{N}])");
  }

  @Override
  public String toString() {
    return "Redaction";
  }
}
