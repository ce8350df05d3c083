package dev.runlane.postgres.statement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * The text of one statement, cut at its named parameters. A name is {@code :run_ids}, in lower case. No name is
 * looked for in literals, quoted identifiers, comments and dollar quotes; {@code ::} is a cast, and a colon directly
 * behind a name, a number or a bracket belongs to the slice of an array.
 *
 * @param pieces what stands before, between and behind the parameters
 * @param names the parameters in the order of the text, each as often as it stands there
 */
record SqlText(List<String> pieces, List<String> names) {
  SqlText {
    pieces = List.copyOf(pieces);
    names = List.copyOf(names);
  }

  /** Fails when the text has positions of its own: {@code $1}, or {@code ?} where that is what is sent. */
  static SqlText parse(String text, Placeholders placeholders) {
    return new Scanner(text, placeholders).scan();
  }

  /** The names in the order of their positions. */
  List<String> positions(Placeholders placeholders) {
    return placeholders == Placeholders.NUMBERED ? names.stream().distinct().toList() : names;
  }

  /** As it is sent, with numbered positions. */
  String numbered() {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    names.forEach(name -> numbers.putIfAbsent(name, numbers.size() + 1));
    return joined(place -> numbers.getOrDefault(names.get(place), 0), "$");
  }

  /**
   * As it is sent, with question marks.
   *
   * @param sizes how many places the parameter with this index among the names has
   */
  String marked(IntUnaryOperator sizes) {
    StringBuilder sql = new StringBuilder(pieces.get(0));
    for (int place = 0; place < names.size(); place++) {
      sql.append("?")
          .append(", ?".repeat(sizes.applyAsInt(place) - 1))
          .append(pieces.get(place + 1));
    }
    return sql.toString();
  }

  private String joined(IntUnaryOperator number, String sign) {
    StringBuilder sql = new StringBuilder(pieces.get(0));
    for (int place = 0; place < names.size(); place++) {
      sql.append(sign).append(number.applyAsInt(place)).append(pieces.get(place + 1));
    }
    return sql.toString();
  }

  private static final class Scanner {
    private static final String SIGNS =
        ":'\"`-/$?"; // where something other than plain text may begin

    private final String text;
    private final Placeholders placeholders;
    private final List<String> pieces = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private int at;
    private int pieceFrom;

    Scanner(String text, Placeholders placeholders) {
      this.text = text;
      this.placeholders = placeholders;
    }

    SqlText scan() {
      while (at < text.length()) {
        int end = SIGNS.indexOf(text.charAt(at)) < 0 ? at + 1 : endOfQuoted();
        if (end > at) {
          at = end;
        } else if (text.startsWith("::", at)) {
          at += 2;
        } else if (isParameter()) {
          take();
        } else {
          refusePosition();
          at++;
        }
      }
      pieces.add(text.substring(pieceFrom));
      return new SqlText(pieces, names);
    }

    private boolean isParameter() {
      return text.charAt(at) == ':' && isNameStart(charAt(at + 1)) && !isOperandEnd(charAt(at - 1));
    }

    private void take() {
      int end = at + 1;
      while (isNamePart(charAt(end))) {
        end++;
      }
      pieces.add(text.substring(pieceFrom, at));
      names.add(text.substring(at + 1, end));
      at = end;
      pieceFrom = end;
    }

    private void refusePosition() {
      char mark = text.charAt(at);
      boolean position = placeholders == Placeholders.NUMBERED
          ? mark == '$' && Character.isDigit(charAt(at + 1)) && !isNamePart(charAt(at - 1))
          : mark == '?';
      if (position) {
        throw new IllegalStateException("parameters have names, but there is a position at "
            + text.substring(at, Math.min(text.length(), at + 20)).replace('\n', ' '));
      }
    }

    /** The end of what begins here and holds no parameters, or here where nothing of that kind begins. */
    private int endOfQuoted() {
      return switch (text.charAt(at)) {
        case '\'' -> endOfQuote('\'', hasBackslashes());
        case '"' -> endOfQuote('"', placeholders == Placeholders.QUESTION_MARKS);
        case '`' -> endOfQuote('`', false);
        case '-' -> text.startsWith("--", at) ? endBehind("\n", at) : at;
        case '/' -> text.startsWith("/*", at) ? endOfComment() : at;
        case '$' -> endOfDollarQuote();
        default -> at;
      };
    }

    /** MySQL has backslashes in every literal, PostgreSQL in those that begin with {@code E'}. */
    private boolean hasBackslashes() {
      char before = charAt(at - 1);
      return placeholders == Placeholders.QUESTION_MARKS
          || ((before == 'E' || before == 'e') && !isNamePart(charAt(at - 2)));
    }

    /** A doubled quote inside ends one literal and begins the next, which comes to the same. */
    private int endOfQuote(char quote, boolean backslashes) {
      int end = at + 1;
      while (end < text.length() && text.charAt(end) != quote) {
        end += backslashes && text.charAt(end) == '\\' ? 2 : 1;
      }
      return end + 1;
    }

    private int endOfComment() {
      int depth = 1;
      int end = at + 2;
      while (end < text.length() && depth > 0) {
        if (text.startsWith("*/", end)) {
          depth--;
          end += 2;
        } else if (placeholders == Placeholders.NUMBERED && text.startsWith("/*", end)) {
          depth++;
          end += 2;
        } else {
          end++;
        }
      }
      return end;
    }

    private int endOfDollarQuote() {
      int tagEnd = at + 1;
      while (isNamePart(charAt(tagEnd))) {
        tagEnd++;
      }
      boolean quote = placeholders == Placeholders.NUMBERED
          && charAt(tagEnd) == '$'
          && !Character.isDigit(charAt(at + 1))
          && !isNamePart(charAt(at - 1));
      return quote ? endBehind(text.substring(at, tagEnd + 1), tagEnd + 1) : at;
    }

    private int endBehind(String what, int from) {
      int found = text.indexOf(what, from);
      return found < 0 ? text.length() : found + what.length();
    }

    /** Where there is none, a character that is part of nothing. */
    private char charAt(int index) {
      return index < 0 || index >= text.length() ? '\0' : text.charAt(index);
    }

    private static boolean isNameStart(char c) {
      return (c >= 'a' && c <= 'z') || c == '_';
    }

    private static boolean isNamePart(char c) {
      return Character.isLetterOrDigit(c) || c == '_';
    }

    private static boolean isOperandEnd(char c) {
      return isNamePart(c) || c == '[' || c == ']' || c == ')' || c == '"';
    }
  }
}
