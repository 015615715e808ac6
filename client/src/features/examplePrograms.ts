// Example programs, one for each frequent pattern of races. A test checks the findings in each.

export interface ExampleProgram {
  readonly title: string;
  /** A sentence on the program. */
  readonly about: string;
  /** The kind of anomaly at READ COMMITTED; absent if there is none. */
  readonly kind?: string;
  readonly text: string;
}

const ACCOUNT = `CREATE TABLE account (
  id integer PRIMARY KEY,
  balance integer NOT NULL
);
`;

export const EXAMPLE_PROGRAMS: readonly ExampleProgram[] = [
  {
    title: "Lost update",
    about: "Two withdrawals read the same balance, and the second overwrites the first.",
    kind: "lost-update",
    text: `${ACCOUNT}
-- Reads, decides, writes what it has computed.
CREATE FUNCTION withdraw(acc integer, amount integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  bal integer;
BEGIN
  SELECT balance INTO bal FROM account WHERE id = acc;
  IF bal < amount THEN
    RAISE EXCEPTION 'insufficient funds';
  END IF;
  UPDATE account SET balance = bal - amount WHERE id = acc;
END $$;
`,
  },
  {
    title: "The same, mended",
    about:
      "One statement reads, decides and writes: it waits for others and decides on what they left.",
    text: `${ACCOUNT}
-- The guard is part of the write: a second withdrawal waits, and decides on what the first has left.
CREATE FUNCTION withdraw(acc integer, amount integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = acc AND balance >= amount;
END $$;
`,
  },
  {
    title: "Write skew",
    about: "Two doctors each see that another one is on call, and both leave.",
    kind: "write-skew",
    text: `CREATE TABLE doctor (
  name text PRIMARY KEY,
  on_call boolean NOT NULL
);

-- Each run changes a row that only the other has counted: no row is written twice.
CREATE FUNCTION leave_shift(who text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM doctor WHERE on_call) >= 2 THEN
    UPDATE doctor SET on_call = false WHERE name = who;
  END IF;
END $$;
`,
  },
  {
    title: "Phantom",
    about: "Two bookings look for others of the same room, find none, and both are made.",
    kind: "predicate-write-skew",
    text: `CREATE TABLE booking (
  id integer PRIMARY KEY,
  room integer NOT NULL,
  day date NOT NULL
);

-- The row that would be in the way is not there yet, so that nobody can lock it.
CREATE FUNCTION book(new_id integer, which integer, wanted date) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM booking WHERE room = which AND day = wanted) THEN
    RETURN false;
  END IF;
  INSERT INTO booking (id, room, day) VALUES (new_id, which, wanted);
  RETURN true;
END $$;
`,
  },
  {
    title: "Inconsistent read",
    about: "A report reads one account before a transfer and the other one after it.",
    kind: "non-repeatable-read",
    text: `${ACCOUNT}
CREATE FUNCTION transfer(src integer, dst integer, amount integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = src;
  UPDATE account SET balance = balance + amount WHERE id = dst;
END $$;

-- Every statement sees what is committed when it begins: the two reads belong to different moments.
CREATE FUNCTION total(a integer, b integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  first integer;
  second integer;
BEGIN
  SELECT balance INTO first FROM account WHERE id = a;
  SELECT balance INTO second FROM account WHERE id = b;
  RETURN first + second;
END $$;
`,
  },
];
