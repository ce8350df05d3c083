package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.ServerException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks an address whether a Kafka broker is there, without a Kafka client: by the one request that
 * every version answers, <a href="https://kafka.apache.org/protocol#The_Messages_ApiVersions">
 * ApiVersions</a> 0.
 */
public final class KafkaProbe {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final short API_VERSIONS = 18;
  private static final int CORRELATION = 0x52_55_4e_4c;
  private static final short NO_CLIENT_ID = -1;

  private KafkaProbe() {}

  /**
   * Returns if one of these brokers answers.
   *
   * @param bootstrapServers {@code host:port[,host:port…]}
   */
  public static void requireAnswer(String bootstrapServers) {
    List<String> failures = new ArrayList<>();
    for (String address : bootstrapServers.split(",", -1)) {
      try {
        ask(parse(address.strip()));
        return;
      } catch (IOException failure) {
        failures.add(address.strip() + ": " + failure);
      }
    }
    throw new ServerException("no Kafka broker answers at " + String.join("; ", failures));
  }

  private static InetSocketAddress parse(String address) {
    int colon = address.lastIndexOf(':');
    try {
      return new InetSocketAddress(
          address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
      throw new ServerException("a Kafka address is host:port, was " + address, malformed);
    }
  }

  private static void ask(InetSocketAddress address) throws IOException {
    int timeoutMillis = Math.toIntExact(TIMEOUT.toMillis());
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(timeoutMillis);
      socket.connect(address, timeoutMillis);
      DataOutputStream request = new DataOutputStream(socket.getOutputStream());
      request.write(ByteBuffer.allocate(14)
          .putInt(10) // the bytes that follow
          .putShort(API_VERSIONS)
          .putShort((short) 0)
          .putInt(CORRELATION)
          .putShort(NO_CLIENT_ID)
          .array());
      DataInputStream response = new DataInputStream(socket.getInputStream());
      response.readInt(); // its length
      if (response.readInt() != CORRELATION) {
        throw new IOException("that is no Kafka broker");
      }
    }
  }
}
