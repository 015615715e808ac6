-- SmallBank as it was first published: customers, savings and checking accounts.
CREATE TABLE account (
  name   text    PRIMARY KEY,
  custid integer NOT NULL UNIQUE
);

CREATE TABLE saving (
  custid  integer PRIMARY KEY,
  balance integer NOT NULL
);

CREATE TABLE checking (
  custid  integer PRIMARY KEY,
  balance integer NOT NULL
);
