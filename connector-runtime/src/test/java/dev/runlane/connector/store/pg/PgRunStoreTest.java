package dev.runlane.connector.store.pg;

import dev.runlane.connector.store.RunStoreContract;
import dev.runlane.connector.store.StoreCase;
import org.junit.jupiter.api.AfterEach;

final class PgRunStoreTest extends RunStoreContract {
  private final PgScene postgres = new PgScene();

  @Override
  protected StoreCase scene() {
    return postgres.open();
  }

  @AfterEach
  void close() {
    postgres.close();
  }
}
