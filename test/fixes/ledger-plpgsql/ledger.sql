CREATE TABLE ledger (owner integer PRIMARY KEY, debit integer NOT NULL, credit integer NOT NULL);

-- @transaction credit
BEGIN;
SELECT credit FROM ledger WHERE owner = :owner \gset
UPDATE ledger SET credit = :credit + :amount WHERE owner = :owner;
COMMIT;

-- @transaction debit
BEGIN;
SELECT debit, credit FROM ledger WHERE owner = :owner \gset
\if :credit - :debit >= :amount
UPDATE ledger SET debit = :debit + :amount WHERE owner = :owner;
\endif
COMMIT;
