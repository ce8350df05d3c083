-- Nobody but the owner attaches the functions of triggers that have the owner's rights to a table of their own: a type of
-- theirs, whose cast is theirs too, would have its code run with these rights. Firing needs no right on the function, so
-- nothing that runs is refused anything. Only rows of the catalogue: nobody waits for a lock.
REVOKE ALL ON FUNCTION {schema}.refuse_pruned_occurrence, {schema}.record_webhook_ends, {schema}.fold_late_minutes
  FROM PUBLIC;
