CREATE TABLE invite (id integer PRIMARY KEY, code text NOT NULL UNIQUE, state text NOT NULL, team integer NOT NULL);
CREATE TABLE team (id integer PRIMARY KEY, members integer NOT NULL);
