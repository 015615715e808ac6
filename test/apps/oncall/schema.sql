CREATE TABLE doctor (
  id      integer PRIMARY KEY,
  name    text    NOT NULL,
  shift   integer NOT NULL,
  on_call boolean NOT NULL
);
