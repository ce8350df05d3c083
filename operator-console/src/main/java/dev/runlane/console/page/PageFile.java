package dev.runlane.console.page;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** A file as it is and compressed: once, and not for each browser. */
record PageFile(Buffer plain, Buffer compressed) {
  private static final Pattern GZIP = Pattern.compile(
      "(?:^|,)\\s*(?:gzip|\\*)\\s*(?:;\\s*q=(?!0(?:\\.0*)?\\s*(?:,|$))[^,]*)?(?:,|$)",
      Pattern.CASE_INSENSITIVE);

  static PageFile of(Buffer plain) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(plain.length());
    try (OutputStream compressing = new BestCompression(bytes)) {
      compressing.write(plain.getBytes());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // memory takes what it is given
    }
    return new PageFile(plain, Buffer.buffer(bytes.toByteArray()));
  }

  /** The same for another console: buffers belong to one thread while they are sent. */
  PageFile copy() {
    return new PageFile(plain.copy(), compressed.copy());
  }

  String text() {
    return plain.toString(StandardCharsets.UTF_8);
  }

  /** Ends the answer with it: compressed for who says that it can read that. */
  void send(HttpServerRequest request, HttpServerResponse response) {
    response.putHeader("vary", "accept-encoding");
    if (takesGzip(request.getHeader("accept-encoding"))) {
      response.putHeader("content-encoding", "gzip").end(compressed);
    } else {
      response.end(plain);
    }
  }

  /** Whether this header allows it, with any weight but none: there is nothing better to offer. */
  static boolean takesGzip(@Nullable String accepted) {
    return accepted != null && GZIP.matcher(accepted).find();
  }

  private static final class BestCompression extends GZIPOutputStream {
    BestCompression(OutputStream target) throws IOException {
      super(target);
      def.setLevel(Deflater.BEST_COMPRESSION);
    }
  }
}
