-- Pages with their revisions, and people who watch them.
CREATE TABLE page (
  id     integer PRIMARY KEY,
  latest integer NOT NULL,
  edits  integer NOT NULL
);
CREATE TABLE revision (
  id   integer PRIMARY KEY,
  page integer NOT NULL,
  body text NOT NULL
);
CREATE TABLE watch (
  person   integer NOT NULL,
  page     integer NOT NULL,
  notified boolean NOT NULL,
  PRIMARY KEY (person, page)
);

CREATE FUNCTION edit_page(p integer, base integer, r integer, words text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  current integer;
  made    integer;
BEGIN
  SELECT latest, edits INTO current, made FROM page WHERE id = p;
  IF current <> base THEN
    RETURN false;
  END IF;
  INSERT INTO revision VALUES (r, p, words);
  UPDATE page SET latest = r, edits = made + 1 WHERE id = p;
  UPDATE watch SET notified = true WHERE page = p;
  RETURN true;
END $$;

CREATE FUNCTION read_page(p integer) RETURNS SETOF revision
LANGUAGE sql AS $$
  SELECT r.* FROM page g JOIN revision r ON r.id = g.latest WHERE g.id = p;
$$;

CREATE FUNCTION add_watch(who integer, p integer) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO watch VALUES (who, p, false);
$$;

CREATE FUNCTION remove_watch(who integer, p integer) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM watch WHERE person = who AND page = p;
$$;
