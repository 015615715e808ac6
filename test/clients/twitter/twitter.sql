-- Followers and tweets; a profile counts the followers that it has.
CREATE TABLE profile (
  id        integer PRIMARY KEY,
  followers integer NOT NULL
);
CREATE TABLE follows (
  follower integer NOT NULL,
  followee integer NOT NULL,
  PRIMARY KEY (follower, followee)
);
CREATE TABLE tweet (
  id     integer PRIMARY KEY,
  author integer NOT NULL,
  body   text NOT NULL
);

CREATE FUNCTION follow(a integer, b integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  known integer;
BEGIN
  SELECT followers INTO known FROM profile WHERE id = b;
  INSERT INTO follows VALUES (a, b);
  UPDATE profile SET followers = known + 1 WHERE id = b;
END $$;

CREATE FUNCTION publish(t integer, a integer, words text) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO tweet VALUES (t, a, words);
$$;

CREATE FUNCTION timeline(a integer) RETURNS SETOF tweet
LANGUAGE sql AS $$
  SELECT t.* FROM follows f JOIN tweet t ON t.author = f.followee WHERE f.follower = a ORDER BY t.id;
$$;

CREATE FUNCTION tweets_of(a integer) RETURNS SETOF tweet
LANGUAGE sql AS $$
  SELECT * FROM tweet WHERE author = a ORDER BY id;
$$;

CREATE FUNCTION followers_of(a integer) RETURNS integer
LANGUAGE sql AS $$
  SELECT followers FROM profile WHERE id = a;
$$;
