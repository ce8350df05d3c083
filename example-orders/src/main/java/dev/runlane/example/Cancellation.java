package dev.runlane.example;

/**
 * A customer's wish not to be charged after all.
 *
 * @param orderId the order, of this file or an earlier one
 * @param reason in the customer's words
 */
record Cancellation(String orderId, String reason) {}
