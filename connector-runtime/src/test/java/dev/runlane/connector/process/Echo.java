package dev.runlane.connector.process;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** A child in Java: says what it heard first, and leaves with 3. */
final class Echo {
  private Echo() {}

  public static void main(String[] arguments) throws Exception {
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    System.out.println("heard " + input.readLine());
    System.exit(3);
  }
}
