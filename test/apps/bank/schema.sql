-- Accounts of a small bank.
CREATE TABLE account (
  id      integer PRIMARY KEY,
  owner   text    NOT NULL,
  balance integer NOT NULL
);
