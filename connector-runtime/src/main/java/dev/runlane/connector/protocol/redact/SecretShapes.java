package dev.runlane.connector.protocol.redact;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The shapes that secrets have in text. What repeats without a bound is possessive, so that no text, however
 * hostile, costs more than a small multiple of its length. Where it is unclear how far a secret goes, more
 * is taken out rather than less.
 */
public final class SecretShapes {
  private static final String MARK = Matcher.quoteReplacement(Redaction.MARK);
  private static final int SHORTEST_OPAQUE = 24;

  private static final String NAMES =
      "(?:password|passwd|passphrase|passcode|pwd|token|secret|otp|bearer"
          + "|credential|api[_-]?key|access[_-]?key|private[_-]?key|session[_-]?id)";

  /** In quotes, be they escaped or not; the end may be missing. */
  private static final String QUOTED =
      "\\\\++\"[^\"\\\\]*+(?:\\\\++\")?+|\"(?:[^\"\\\\]|\\\\.)*+\"?+|'(?:[^'\\\\]|\\\\.)*+'?+";

  private static final String SEPARATOR = "[\\w-]{0,32}+\\\\{0,4}+[\"']?+\\s{0,8}+";

  private static final Pattern PEM_BEGIN = Pattern.compile("-----BEGIN [^-\\n]{0,64}+-----");
  private static final Pattern PEM_END = Pattern.compile("-----END [^-\\n]{0,64}+-----");

  private static final Pattern AUTHORITY = Pattern.compile("://([^\\s/?#\"'<>]++)");

  /** Everything up to the end of the line, or of the quotes. */
  private static final Pattern HEADER = Pattern.compile(
      "(?i)((?:authorization|cookie)" + SEPARATOR + "[:=]\\s{0,8}+)(?:" + QUOTED + "|[^\\r\\n]++)");

  private static final Pattern WITH_COLON = Pattern.compile("(?i)(" + NAMES + SEPARATOR
      + ":\\s{0,8}+)(?!(?:null|true|false)\\b)(?:" + QUOTED
      + "|-?\\d++(?:\\.\\d++)?+(?=[\\s,}\\]]|$)|[^\\r\\n]++)");

  private static final Pattern WITH_EQUALS =
      Pattern.compile("(?i)(" + NAMES + SEPARATOR + "=>?\\s{0,8}+)(?:" + QUOTED + "|[^\\s&\"']++)");

  private static final Pattern BEARER =
      Pattern.compile("(?i)\\b(bearer\\s{1,8}+)(?:" + QUOTED + "|[^\\s\"']++)");

  /** As an argument of a command line. */
  private static final Pattern FLAG = Pattern.compile("(?i)((?<!\\S)--?(?:[a-z]{1,16}+-){0,4}"
      + NAMES + "[a-z-]{0,16}+\\s{1,8}+)(?:" + QUOTED + "|\\S++)");

  private static final Pattern CODE =
      Pattern.compile("(?<![\\p{L}\\p{N}_])\\d{6}(?![\\p{L}\\p{N}_])");

  private static final Pattern RUN = Pattern.compile("[A-Za-z0-9_+/=.~-]{24,}+");
  private static final Pattern LONG_PART = Pattern.compile("[A-Za-z0-9_+~-]{24,}+=*+");

  private SecretShapes() {}

  /** Without private keys, user information in addresses, and values that follow the name of a credential. */
  public static String credentials(String text) {
    String clean = withoutPem(text);
    clean = AUTHORITY.matcher(clean).replaceAll(SecretShapes::withoutUser);
    for (Pattern named : new Pattern[] {HEADER, FLAG, WITH_EQUALS, WITH_COLON, BEARER}) {
      clean = named.matcher(clean).replaceAll("$1" + MARK);
    }
    return clean;
  }

  /** Without numbers of six digits. */
  static String codes(String text) {
    return CODE.matcher(text).replaceAll(MARK);
  }

  /** Without words of 24 characters and more that stand for nothing a person would read. */
  static String opaqueWords(String text) {
    return RUN.matcher(text).replaceAll(SecretShapes::withoutOpaque);
  }

  /** A block whose end was cut off goes to the end of the text. */
  private static String withoutPem(String text) {
    Matcher begin = PEM_BEGIN.matcher(text);
    Matcher end = PEM_END.matcher(text);
    StringBuilder clean = new StringBuilder();
    int at = 0;
    while (at < text.length() && begin.find(at)) {
      clean.append(text, at, begin.start()).append(Redaction.MARK);
      at = end.find(begin.end()) ? end.end() : text.length();
    }
    return at == 0 ? text : clean.append(text, at, text.length()).toString();
  }

  private static String withoutUser(MatchResult authority) {
    int at = authority.group(1).lastIndexOf('@');
    return Matcher.quoteReplacement(
        at < 0 ? authority.group() : "://" + Redaction.MARK + authority.group(1).substring(at));
  }

  /** Dots and slashes divide names and paths, whose short parts stay readable, but not signed tokens and keys. */
  private static String withoutOpaque(MatchResult run) {
    String word = run.group();
    return word.startsWith("eyJ") || looksLikeKey(word)
        ? MARK
        : Matcher.quoteReplacement(LONG_PART.matcher(word).replaceAll(MARK));
  }

  /** Base 64 with slashes in it: no path begins without one and mixes all three kinds of characters. */
  private static boolean looksLikeKey(String word) {
    return word.length() >= SHORTEST_OPAQUE
        && word.indexOf('/') > 0
        && word.indexOf('.') < 0
        && word.chars().anyMatch(Character::isDigit)
        && word.chars().anyMatch(Character::isUpperCase)
        && word.chars().anyMatch(Character::isLowerCase);
  }
}
