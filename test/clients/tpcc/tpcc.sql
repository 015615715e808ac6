-- A wholesaler in the manner of TPC-C: orders with numbers per district, payments, deliveries.
CREATE TABLE district (
  id      integer PRIMARY KEY,
  ytd     integer NOT NULL,
  next_id integer NOT NULL
);
CREATE TABLE customer (
  id       integer PRIMARY KEY,
  balance  integer NOT NULL,
  payments integer NOT NULL
);
CREATE TABLE stock (
  item     integer PRIMARY KEY,
  quantity integer NOT NULL
);
CREATE TABLE orders (
  district  integer NOT NULL,
  id        integer NOT NULL,
  customer  integer NOT NULL,
  delivered boolean NOT NULL,
  PRIMARY KEY (district, id)
);

CREATE FUNCTION new_order(d integer, c integer, i integer, q integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  number integer;
  there  integer;
BEGIN
  SELECT next_id INTO number FROM district WHERE id = d;
  UPDATE district SET next_id = number + 1 WHERE id = d;
  SELECT quantity INTO there FROM stock WHERE item = i;
  UPDATE stock SET quantity = there - q WHERE item = i;
  INSERT INTO orders VALUES (d, number, c, false);
  RETURN number;
END $$;

CREATE FUNCTION payment(d integer, c integer, amount integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  sum  integer;
  owed integer;
  paid integer;
BEGIN
  SELECT ytd INTO sum FROM district WHERE id = d;
  UPDATE district SET ytd = sum + amount WHERE id = d;
  SELECT balance, payments INTO owed, paid FROM customer WHERE id = c;
  UPDATE customer SET balance = owed - amount, payments = paid + 1 WHERE id = c;
END $$;

CREATE FUNCTION delivery(d integer, o integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  who integer;
BEGIN
  SELECT customer INTO who FROM orders WHERE district = d AND id = o AND NOT delivered;
  IF who IS NULL THEN
    RETURN false;
  END IF;
  UPDATE orders SET delivered = true WHERE district = d AND id = o;
  UPDATE customer SET balance = balance + 10 WHERE id = who;
  RETURN true;
END $$;

CREATE FUNCTION order_status(c integer) RETURNS integer
LANGUAGE sql AS $$
  SELECT balance FROM customer WHERE id = c;
$$;

CREATE FUNCTION stock_level(i integer) RETURNS integer
LANGUAGE sql AS $$
  SELECT quantity FROM stock WHERE item = i;
$$;
