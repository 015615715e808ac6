CREATE TABLE tokens (id serial PRIMARY KEY, code text NOT NULL UNIQUE, used boolean NOT NULL DEFAULT false, credit int NOT NULL);
CREATE TABLE accounts (id serial PRIMARY KEY, credit int NOT NULL DEFAULT 0);
