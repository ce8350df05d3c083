-- An owner looks at the grants of one connection, those that changed last first.
CREATE INDEX connector_grants_connection
  ON {schema}.connector_grants (env, connector_instance_id, updated_at DESC, grant_id);
