-- The smallest programs of their kind: what each level makes of them is settled by theory.

-- Lost update: read, add in the application, write.
-- @transaction add_in_application
BEGIN;
SELECT v FROM lost_counter WHERE id = :id \gset
-- ^^^ lost-update state: add_in_application, add_in_application (postgres:read-committed)
UPDATE lost_counter SET v = :v + 1 WHERE id = :id;
COMMIT;

-- The same in one statement: PostgreSQL reads the row again under its lock.
-- @transaction add_in_database
BEGIN;
UPDATE atomic_counter SET v = v + 1 WHERE id = :id;
COMMIT;

-- Write skew: take from one cell only while the two together allow it.
-- @transaction take
-- @isolens distinct mine, other
BEGIN;
SELECT v FROM skew_cell WHERE id = :mine \gset mine_
-- ^^^ lost-update state: take, take (postgres:read-committed)
SELECT v FROM skew_cell WHERE id = :other \gset other_
-- ^^^ write-skew state: take, take (postgres:read-committed, postgres:repeatable-read)
\if :mine_v + :other_v > 0
UPDATE skew_cell SET v = :mine_v - 1 WHERE id = :mine;
\endif
COMMIT;

-- Non-repeatable read: the same row, twice.
-- @transaction read_twice
BEGIN;
SELECT v FROM twice_cell WHERE id = :id;
-- ^^^ non-repeatable-read value: read_twice, set_once (postgres:read-committed)
SELECT v FROM twice_cell WHERE id = :id;
COMMIT;

-- @transaction set_once
BEGIN;
UPDATE twice_cell SET v = :value WHERE id = :id;
COMMIT;

-- Dirty read: a reader must not see the first of these two writes.
-- @transaction write_twice
BEGIN;
UPDATE dirty_cell SET v = :first WHERE id = :id;
UPDATE dirty_cell SET v = :second WHERE id = :id;
COMMIT;

-- @transaction read_once
BEGIN;
SELECT v FROM dirty_cell WHERE id = :id;
COMMIT;

-- Long fork: two writers, and readers that may disagree on who came first.
-- @transaction write_left
BEGIN;
UPDATE fork_left SET v = :value WHERE id = :id;
COMMIT;

-- @transaction write_right
BEGIN;
UPDATE fork_right SET v = :value WHERE id = :id;
COMMIT;

-- @transaction read_both
BEGIN;
SELECT v FROM fork_left WHERE id = :id;
SELECT v FROM fork_right WHERE id = :id;
COMMIT;
