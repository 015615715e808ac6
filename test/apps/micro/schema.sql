-- One table per program, so that none of them meets another.
CREATE TABLE lost_counter   (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE atomic_counter (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE skew_cell      (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE twice_cell     (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE dirty_cell     (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE fork_left      (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE fork_right     (id integer PRIMARY KEY, v integer NOT NULL);
