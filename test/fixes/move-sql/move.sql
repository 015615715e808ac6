CREATE TABLE item (id integer PRIMARY KEY, stock integer NOT NULL);

-- @transaction move
-- @isolens distinct from, to
BEGIN;
\if :n
UPDATE item SET stock = stock - :n WHERE id = :from;
UPDATE item SET stock = stock + :n WHERE id = :to;
\endif
COMMIT;
