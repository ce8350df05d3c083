package dev.runlane.example;

import dev.runlane.testinfra.kafka.KafkaServer;
import dev.runlane.testinfra.postgres.PostgresServer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The servers and folder that one start of the program works with.
 *
 * @param kafka null where this process works alone
 * @param folder keeps the data, and what worker processes log
 */
record Infrastructure(PostgresServer postgres, @Nullable KafkaServer kafka, Path folder) {}
