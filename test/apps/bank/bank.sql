-- Four routines of a small bank. Two of them read a balance, think, and write: see what READ COMMITTED makes of it.

CREATE FUNCTION withdraw(acc integer, amount integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  bal integer;
BEGIN
  IF amount <= 0 THEN
    RAISE EXCEPTION 'the amount must be positive';
  END IF;
  SELECT balance INTO bal FROM account WHERE id = acc;
  -- ^^^ lost-update state: withdraw, deposit (postgres:read-committed)
  -- ^^^ lost-update state: withdraw, transfer (postgres:read-committed)
  -- ^^^ lost-update state: withdraw, withdraw (postgres:read-committed)
  IF bal < amount THEN
    RAISE EXCEPTION 'insufficient funds';
  END IF;
  UPDATE account SET balance = bal - amount WHERE id = acc;
  RETURN bal - amount;
END $$;

-- An atomic update: nothing is lost here, at any level of PostgreSQL.
CREATE FUNCTION deposit(acc integer, amount integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF amount <= 0 THEN
    RAISE EXCEPTION 'the amount must be positive';
  END IF;
  UPDATE account SET balance = balance + amount WHERE id = acc;
END $$;

-- The check is made on a balance that may have changed when the money moves.
-- @isolens distinct src, dst
CREATE FUNCTION transfer(src integer, dst integer, amount integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  available integer;
BEGIN
  IF amount <= 0 THEN
    RAISE EXCEPTION 'the amount must be positive';
  END IF;
  SELECT balance INTO available FROM account WHERE id = src;
  -- ^^^ non-repeatable-read state: transfer, transfer (postgres:read-committed)
  -- ^^^ non-repeatable-read state: transfer, withdraw (postgres:read-committed)
  IF available IS NULL OR available < amount THEN
    RETURN false;
  END IF;
  UPDATE account SET balance = balance - amount WHERE id = src;
  UPDATE account SET balance = balance + amount WHERE id = dst;
  RETURN true;
END $$;

CREATE FUNCTION balance_of(acc integer) RETURNS integer
LANGUAGE sql AS $$
  SELECT balance FROM account WHERE id = acc;
$$;
