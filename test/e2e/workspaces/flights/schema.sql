CREATE TABLE flight (id integer PRIMARY KEY, free integer NOT NULL);
CREATE TABLE ticket (flight integer NOT NULL REFERENCES flight, seat integer NOT NULL, PRIMARY KEY (flight, seat));
