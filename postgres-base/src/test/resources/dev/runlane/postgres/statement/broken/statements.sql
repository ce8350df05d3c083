-- What comes before the first name belongs to no statement.
-- fragment: columns
-- A part of several statements, in which another one stands.
a, b, {more}

-- fragment: more
c

-- name: one
-- Comments are left out, :whatever they name.
SELECT {columns}
  -- this one too
FROM {schema}.things WHERE a {operator} :value AND b = :other AND c <> :value::text

-- name: two
SELECT 2
