-- The applications of MonkeyDB's Table 1 (Biswas et al., OOPSLA 2021): what a user has is one value that is read and
-- written whole, as in a key-value store.
CREATE TABLE course (
  id    integer PRIMARY KEY,
  seats integer NOT NULL
);
CREATE TABLE enrolled (
  course  integer PRIMARY KEY,
  number integer NOT NULL
);
CREATE TABLE cart (
  owner integer PRIMARY KEY,
  apples integer NOT NULL
);
CREATE TABLE feed (
  author integer PRIMARY KEY,
  tweets integer NOT NULL
);

CREATE FUNCTION enrol(c integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  places integer;
  taken  integer;
BEGIN
  SELECT seats INTO places FROM course WHERE id = c;
  IF places IS NULL THEN
    RETURN false;
  END IF;
  SELECT number INTO taken FROM enrolled WHERE course = c;
  IF taken >= places THEN
    RETURN false;
  END IF;
  UPDATE enrolled SET number = taken + 1 WHERE course = c;
  RETURN true;
END $$;

CREATE FUNCTION students_of(c integer) RETURNS integer
LANGUAGE sql AS $$
  SELECT number FROM enrolled WHERE course = c;
$$;

CREATE FUNCTION remove_course(c integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  taken integer;
BEGIN
  SELECT number INTO taken FROM enrolled WHERE course = c;
  IF taken > 0 THEN
    RETURN false;
  END IF;
  DELETE FROM course WHERE id = c;
  RETURN true;
END $$;

CREATE FUNCTION add_apple(u integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  held integer;
BEGIN
  SELECT apples INTO held FROM cart WHERE owner = u;
  UPDATE cart SET apples = held + 1 WHERE owner = u;
END $$;

CREATE FUNCTION delete_apples(u integer) RETURNS void
LANGUAGE sql AS $$
  UPDATE cart SET apples = 0 WHERE owner = u;
$$;

CREATE FUNCTION apples_of(u integer) RETURNS integer
LANGUAGE sql AS $$
  SELECT apples FROM cart WHERE owner = u;
$$;

CREATE FUNCTION publish(a integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  known integer;
BEGIN
  SELECT tweets INTO known FROM feed WHERE author = a;
  UPDATE feed SET tweets = known + 1 WHERE author = a;
END $$;

CREATE FUNCTION tweets_of(a integer) RETURNS integer
LANGUAGE sql AS $$
  SELECT tweets FROM feed WHERE author = a;
$$;
