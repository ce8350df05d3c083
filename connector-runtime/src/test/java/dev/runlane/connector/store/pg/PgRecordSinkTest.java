package dev.runlane.connector.store.pg;

import dev.runlane.connector.store.RecordSinkContract;
import dev.runlane.connector.store.StoreCase;
import org.junit.jupiter.api.AfterEach;

final class PgRecordSinkTest extends RecordSinkContract {
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
