package dev.runlane.connector.protocol.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Distinguishes strict UTF-8 from other bytes. One thread at a time. */
public final class Utf8 {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long HIGH_BITS = 0x8080808080808080L;

  private final CharsetDecoder decoder = StandardCharsets.UTF_8
      .newDecoder()
      .onMalformedInput(CodingErrorAction.REPORT)
      .onUnmappableCharacter(CodingErrorAction.REPORT);
  private final CharBuffer scratch = CharBuffer.allocate(4096);

  /** One for the lines of one reader. */
  public Utf8() {}

  /** Whether there is nothing but ASCII: eight bytes at a time, since most lines are. */
  public static boolean isAscii(byte[] bytes, int offset, int length) {
    int end = offset + length;
    int at = offset;
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      if (((long) LONGS.get(bytes, at) & HIGH_BITS) != 0) {
        return false;
      }
    }
    for (; at < end; at++) {
      if (bytes[at] < 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether the bytes are UTF-8: no stray bytes, no overlong forms, no surrogates. */
  public boolean isValid(byte[] bytes, int offset, int length) {
    ByteBuffer in = ByteBuffer.wrap(bytes, offset, length);
    decoder.reset();
    CoderResult result;
    do {
      scratch.clear();
      result = decoder.decode(in, scratch, true);
    } while (result.isOverflow());
    return result.isUnderflow();
  }
}
