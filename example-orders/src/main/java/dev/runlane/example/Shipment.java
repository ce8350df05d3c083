package dev.runlane.example;

import java.time.Instant;

/**
 * A paid order that is to be sent.
 *
 * @param order the order's id
 * @param paidAt when it was paid
 */
record Shipment(String order, Instant paidAt) {}
