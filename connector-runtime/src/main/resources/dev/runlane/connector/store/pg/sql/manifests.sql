-- name: activate_manifest
-- Puts a manifest to use; the last of several who do so at once wins.
INSERT INTO {schema}.connector_active_manifests (env, connector_id, version, fingerprint, activated_at)
VALUES (:env, :connector_id, :version, :fingerprint, :activated_at)
ON CONFLICT (env, connector_id) DO UPDATE SET version = excluded.version, fingerprint = excluded.fingerprint,
  activated_at = excluded.activated_at

-- name: deactivate_manifest
DELETE FROM {schema}.connector_active_manifests WHERE env = :env AND connector_id = :connector_id

-- name: active_manifest
SELECT m.connector_id, m.version, m.fingerprint, m.activated_at FROM {schema}.connector_active_manifests m
WHERE m.env = :env AND m.connector_id = :connector_id

-- name: active_manifests
SELECT m.connector_id, m.version, m.fingerprint, m.activated_at FROM {schema}.connector_active_manifests m
WHERE m.env = :env ORDER BY m.connector_id
