-- fragment: policies_of_role
-- Those of table t.
pg_catalog.pg_policy p WHERE p.polrelid = t.oid
  AND (0 = ANY (p.polroles) OR EXISTS (SELECT 1 FROM unnest(p.polroles) AS r WHERE pg_has_role(r, 'USAGE')))

-- fragment: lets_see_all
coalesce(pg_get_expr(p.polqual, p.polrelid) = 'true', false)

-- fragment: lets_store_all
-- Without an expression of its own a policy goes for new rows by that for old ones.
coalesce(coalesce(pg_get_expr(p.polwithcheck, p.polrelid), pg_get_expr(p.polqual, p.polrelid)) = 'true', false)

-- name: hidden_table
-- One of these tables whose row level security may keep rows from this role: a policy takes some away, or for one of
-- the four commands none lets it have all. NULL where there is no such table. Needs no right but to connect.
SELECT min(t.relname::text) AS hidden_table
FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE n.nspname = :schema_name AND t.relname::text = ANY (:tables::text[])
  AND CASE WHEN t.relrowsecurity THEN row_security_active(t.oid) ELSE false END
  AND (EXISTS (SELECT 1 FROM {policies_of_role} AND NOT p.polpermissive)
    OR EXISTS (SELECT 1 FROM unnest('{r,a,w,d}'::text[]) AS command
      WHERE NOT EXISTS (SELECT 1 FROM {policies_of_role} AND p.polpermissive AND p.polcmd::text IN ('*', command)
        AND (command = 'a' OR {lets_see_all}) AND (command IN ('r', 'd') OR {lets_store_all}))))
