-- Nobody but the owner attaches the functions of triggers that have the owner's rights to a table of their own: a type of
-- theirs, whose cast is theirs too, would have its code run with these rights. Firing needs no right on the function, so
-- nothing that runs is refused anything. Only rows of the catalogue: nobody waits for a lock.
REVOKE ALL ON FUNCTION {schema}.mark_job_group, {schema}.record_job_end, {schema}.record_gone_job_end FROM PUBLIC;
