-- SmallBank in its first form: every balance is read into a variable and written back.

CREATE FUNCTION balance(customer text) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  cust integer;
  savings integer;
  checks integer;
BEGIN
  SELECT custid INTO cust FROM account WHERE name = customer;
  SELECT s.balance INTO savings FROM saving s WHERE s.custid = cust;
  -- ^^^ read-skew value: balance, amalgamate (postgres:read-committed)
  SELECT c.balance INTO checks FROM checking c WHERE c.custid = cust;
  -- ^^^ read-only-anomaly value: balance, write_check, transact_savings (postgres:read-committed, postgres:repeatable-read)
  RETURN savings + checks;
END $$;

CREATE FUNCTION deposit_checking(customer text, amount integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  cust integer;
  checks integer;
BEGIN
  IF amount < 0 THEN
    RAISE EXCEPTION 'negative amount';
  END IF;
  SELECT custid INTO cust FROM account WHERE name = customer;
  SELECT c.balance INTO checks FROM checking c WHERE c.custid = cust;
  -- ^^^ lost-update state: deposit_checking, deposit_checking (postgres:read-committed)
  -- ^^^ lost-update state: deposit_checking, amalgamate (postgres:read-committed)
  -- ^^^ lost-update state: deposit_checking, send_payment (postgres:read-committed)
  -- ^^^ lost-update state: deposit_checking, write_check (postgres:read-committed)
  UPDATE checking SET balance = checks + amount WHERE custid = cust;
END $$;

CREATE FUNCTION transact_savings(customer text, amount integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  cust integer;
  savings integer;
BEGIN
  SELECT custid INTO cust FROM account WHERE name = customer;
  SELECT s.balance INTO savings FROM saving s WHERE s.custid = cust;
  -- ^^^ lost-update state: transact_savings, transact_savings (postgres:read-committed)
  -- ^^^ lost-update state: transact_savings, amalgamate (postgres:read-committed)
  IF savings + amount < 0 THEN
    RAISE EXCEPTION 'insufficient savings';
  END IF;
  UPDATE saving SET balance = savings + amount WHERE custid = cust;
END $$;

-- @isolens distinct customer1, customer2
CREATE FUNCTION amalgamate(customer1 text, customer2 text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  cust1 integer;
  cust2 integer;
  total integer;
  checks integer;
BEGIN
  SELECT custid INTO cust1 FROM account WHERE name = customer1;
  SELECT custid INTO cust2 FROM account WHERE name = customer2;
  SELECT s.balance INTO total FROM saving s WHERE s.custid = cust1;
  -- ^^^ lost-update state: amalgamate, amalgamate (postgres:read-committed)
  -- ^^^ lost-update state: amalgamate, transact_savings (postgres:read-committed)
  SELECT c.balance + total INTO total FROM checking c WHERE c.custid = cust1;
  -- ^^^ lost-update state: amalgamate, amalgamate (postgres:read-committed)
  -- ^^^ lost-update state: amalgamate, deposit_checking (postgres:read-committed)
  -- ^^^ lost-update state: amalgamate, send_payment (postgres:read-committed)
  -- ^^^ lost-update state: amalgamate, write_check (postgres:read-committed)
  UPDATE saving SET balance = 0 WHERE custid = cust1;
  UPDATE checking SET balance = 0 WHERE custid = cust1;
  SELECT c.balance INTO checks FROM checking c WHERE c.custid = cust2;
  -- ^^^ lost-update state: amalgamate, amalgamate (postgres:read-committed)
  -- ^^^ lost-update state: amalgamate, deposit_checking (postgres:read-committed)
  -- ^^^ lost-update state: amalgamate, send_payment (postgres:read-committed)
  -- ^^^ lost-update state: amalgamate, write_check (postgres:read-committed)
  UPDATE checking SET balance = checks + total WHERE custid = cust2;
END $$;

CREATE FUNCTION write_check(customer text, amount integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  cust integer;
  savings integer;
  checks integer;
BEGIN
  SELECT custid INTO cust FROM account WHERE name = customer;
  SELECT s.balance INTO savings FROM saving s WHERE s.custid = cust;
  -- ^^^ read-skew state: write_check, amalgamate (postgres:read-committed)
  SELECT c.balance INTO checks FROM checking c WHERE c.custid = cust;
  -- ^^^ lost-update state: write_check, send_payment (postgres:read-committed)
  -- ^^^ lost-update state: write_check, amalgamate (postgres:read-committed)
  -- ^^^ lost-update state: write_check, deposit_checking (postgres:read-committed)
  -- ^^^ lost-update state: write_check, write_check (postgres:read-committed)
  IF savings + checks < amount THEN
    UPDATE checking SET balance = checks - (amount + 1) WHERE custid = cust;
  ELSE
    UPDATE checking SET balance = checks - amount WHERE custid = cust;
  END IF;
END $$;

-- @isolens distinct customer1, customer2
CREATE FUNCTION send_payment(customer1 text, customer2 text, amount integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  cust1 integer;
  cust2 integer;
  checks1 integer;
  checks2 integer;
BEGIN
  SELECT custid INTO cust1 FROM account WHERE name = customer1;
  SELECT custid INTO cust2 FROM account WHERE name = customer2;
  SELECT c.balance INTO checks1 FROM checking c WHERE c.custid = cust1;
  -- ^^^ lost-update state: send_payment, send_payment (postgres:read-committed)
  -- ^^^ lost-update state: send_payment, amalgamate (postgres:read-committed)
  -- ^^^ lost-update state: send_payment, deposit_checking (postgres:read-committed)
  -- ^^^ lost-update state: send_payment, write_check (postgres:read-committed)
  IF checks1 < amount THEN
    RAISE EXCEPTION 'insufficient funds';
  END IF;
  SELECT c.balance INTO checks2 FROM checking c WHERE c.custid = cust2;
  -- ^^^ lost-update state: send_payment, deposit_checking (postgres:read-committed)
  -- ^^^ lost-update state: send_payment, amalgamate (postgres:read-committed)
  -- ^^^ lost-update state: send_payment, send_payment (postgres:read-committed)
  -- ^^^ lost-update state: send_payment, write_check (postgres:read-committed)
  UPDATE checking SET balance = checks1 - amount WHERE custid = cust1;
  UPDATE checking SET balance = checks2 + amount WHERE custid = cust2;
END $$;
