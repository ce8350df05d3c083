module com.example.stores {
  requires dev.runlane.connector;
  requires dev.runlane.jobqueue;
  requires dev.runlane.steps.sql;
  requires dev.runlane.storage.memory;
}
