package dev.runlane.runtime.process;

/**
 * The runtime that a role's verticle works for. {@link dev.runlane.runtime.Runlane Runlane} is one; nothing else
 * needs to be.
 */
public interface RoleRuntime {
  /** What all roles of the runtime share. For the roles themselves: an application has no use for it. */
  RuntimeContext context();
}
