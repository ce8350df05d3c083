package dev.runlane.testinfra.postgres;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StreamCorruptedException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process of the server, and who is connected to it by {@link ReusedSessions}. It knows of <a
 * href="https://www.postgresql.org/docs/17/protocol-message-formats.html">version 3 of the protocol</a> what tells when
 * the server has answered everything.
 */
final class ServerSession {
  private static final Logger LOG = LoggerFactory.getLogger(ServerSession.class);
  private static final int HEADER = 1 + Integer.BYTES; // type and length, which counts itself
  private static final int LONGEST_STARTUP = 10_000; // the server's own limit
  private static final int IN_CLEAR = 3; // how a password is asked for that can be compared
  private static final byte[] DISCARD = message('Q', "DISCARD ALL\0");
  private static final byte[] QUESTION = message('R', "\0\0\0\3");
  private static final byte[] REFUSAL =
      message('E', "SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0");

  private final Socket server;
  private final DataInputStream fromServer;
  private final OutputStream toServer; // for the thread of who is connected

  // Guarded by this.
  private final ByteArrayOutputStream greeting = new ByteArrayOutputStream();
  private byte @Nullable [] password; // the message with it; null where none was asked for
  private byte[] key = {}; // of requests to cancel
  private @Nullable Socket client; // null while nobody is connected
  private @Nullable OutputStream toClient;
  private int owed =
      1; // how often the server has yet to say that it is ready, first after greeting
  private boolean isGreeted;
  private boolean isInTransaction;
  private boolean isMoreToCome; // the server answers no earlier than to the client's next message
  private boolean isReusable = true;
  private boolean isOver;

  ServerSession(Socket server) throws IOException {
    this.server = server;
    server.setTcpNoDelay(true);
    this.fromServer = new DataInputStream(new BufferedInputStream(server.getInputStream()));
    this.toServer = new BufferedOutputStream(server.getOutputStream());
  }

  /** Reads what a connection begins with: a message without a type. */
  static byte[] readStartup(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 2 * Integer.BYTES || length > LONGEST_STARTUP) {
      throw new StreamCorruptedException("a first message of " + length + " bytes");
    }
    byte[] message = ByteBuffer.allocate(length).putInt(length).array();
    in.readFully(message, Integer.BYTES, length - Integer.BYTES);
    return message;
  }

  private static byte[] read(DataInputStream in) throws IOException {
    byte type = in.readByte();
    int length = in.readInt();
    if (length < Integer.BYTES) {
      throw new StreamCorruptedException("a message of " + length + " bytes");
    }
    byte[] message = ByteBuffer.allocate(1 + length).put(type).putInt(length).array();
    in.readFully(message, HEADER, message.length - HEADER);
    return message;
  }

  private static byte[] message(char type, String content) {
    byte[] bytes = content.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(HEADER + bytes.length)
        .put((byte) type)
        .putInt(Integer.BYTES + bytes.length)
        .put(bytes)
        .array();
  }

  /** Asks for the password that the first client has said, where the server has asked for one. */
  boolean admits(DataInputStream fromNext, OutputStream toNext) throws IOException {
    byte[] known = password();
    if (known == null) {
      return true;
    }
    toNext.write(QUESTION);
    boolean isKnown = MessageDigest.isEqual(known, read(fromNext));
    if (!isKnown) {
      toNext.write(REFUSAL);
    }
    return isKnown;
  }

  private synchronized byte @Nullable [] password() {
    return password;
  }

  /** The first client is asked and greeted by the server, each later one is greeted with the same words. */
  void connect(Socket arrived, byte[] startup) throws IOException {
    if (attach(arrived)) {
      ReusedSessions.daemon(this::receiveAll);
      toServer.write(startup);
      toServer.flush();
    }
  }

  /** Whether it is the first. */
  private synchronized boolean attach(Socket arrived) throws IOException {
    if (isOver) {
      throw new EOFException("the server has ended its process");
    }
    OutputStream out = new BufferedOutputStream(arrived.getOutputStream());
    out.write(greeting.toByteArray());
    out.flush();
    toClient = out;
    client = arrived;
    return !isGreeted;
  }

  synchronized boolean isOver() {
    return isOver;
  }

  /** Its statement may be cancelled late, so nobody else is to have this process: where it is the one that is meant. */
  synchronized void keepIfCancelled(byte[] request) {
    int keyAt = 2 * Integer.BYTES;
    if (Arrays.equals(key, Arrays.copyOfRange(request, keyAt, request.length))) {
      isReusable = false;
    }
  }

  /**
   * Forwards what the client sends until it says goodbye; returns once the server has ended that session. True where
   * the process has begun another one, false where it is gone.
   */
  boolean serveUntilGoodbye(DataInputStream fromClient) throws IOException {
    byte[] message = read(fromClient);
    while (message[0] != 'X') {
      noteSent(message);
      toServer.write(message);
      if (fromClient.available() == 0) {
        toServer.flush();
      }
      message = read(fromClient);
    }
    boolean isKept = leave();
    toServer.write(isKept ? DISCARD : message);
    toServer.flush();
    return awaitEnd(isKept);
  }

  private synchronized void noteSent(byte[] message) {
    switch (message[0]) {
      case 'Q', 'S', 'F' -> {
        owed++;
        isMoreToCome = false;
      }
      case 'p' -> password = message;
      default -> isMoreToCome = true;
    }
  }

  private synchronized boolean leave() {
    if (!isReusable || isMoreToCome || isInTransaction || owed > 0) {
      return false;
    }
    client = null;
    toClient = null;
    owed++;
    return true;
  }

  private synchronized boolean awaitEnd(boolean isKept) throws IOException {
    while (!isOver && !(isKept && owed == 0)) {
      try {
        wait();
      } catch (InterruptedException interrupted) {
        throw new IOException("interrupted", interrupted);
      }
    }
    return !isOver && isReusable;
  }

  private void receiveAll() {
    try {
      while (true) {
        byte[] message = read(fromServer);
        OutputStream to = noteReceived(message); // first: its receiver may say goodbye at once
        if (to != null) {
          to.write(message);
          if (fromServer.available() == 0) {
            to.flush();
          }
        }
      }
    } catch (IOException lost) {
      LOG.debug("a session is over", lost);
    } finally {
      close();
    }
  }

  /** Who is to have the message. */
  private synchronized @Nullable OutputStream noteReceived(byte[] message) {
    int asked = message[0] == 'R' ? ByteBuffer.wrap(message).getInt(HEADER) : 0;
    isReusable &= asked == 0 || asked == IN_CLEAR;
    if (!isGreeted && asked == 0) {
      greeting.writeBytes(message);
    }
    switch (message[0]) {
      case 'K' -> key = Arrays.copyOfRange(message, HEADER, message.length);
      case 'Z' -> {
        owed--;
        isGreeted = true;
        isInTransaction = message[HEADER] != 'I';
        notifyAll();
      }
      case 'E' -> isReusable &= client != null; // the old session could not be ended
      default -> {}
    }
    return toClient;
  }

  /** Ends the process, and the connection of who has it. */
  synchronized void close() {
    isOver = true;
    notifyAll();
    closeQuietly(server);
    if (client != null) {
      closeQuietly(client);
    }
  }

  static void closeQuietly(Closeable socket) {
    try {
      socket.close();
    } catch (IOException failure) {
      LOG.debug("a socket was not closed in order", failure);
    }
  }
}
