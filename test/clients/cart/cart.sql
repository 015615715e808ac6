-- A shopping cart: a row per item, and a limit on how much of one thing a cart may hold.
CREATE TABLE cart_item (
  cart     integer NOT NULL,
  item     integer NOT NULL,
  quantity integer NOT NULL,
  PRIMARY KEY (cart, item)
);

CREATE FUNCTION add_item(c integer, i integer, q integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  held integer;
BEGIN
  SELECT quantity INTO held FROM cart_item WHERE cart = c AND item = i;
  IF held IS NULL THEN
    INSERT INTO cart_item VALUES (c, i, q);
    RETURN q;
  END IF;
  UPDATE cart_item SET quantity = held + q WHERE cart = c AND item = i;
  RETURN held + q;
END $$;

CREATE FUNCTION remove_item(c integer, i integer) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM cart_item WHERE cart = c AND item = i;
$$;

CREATE FUNCTION change_quantity(c integer, i integer, q integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  held integer;
BEGIN
  SELECT quantity INTO held FROM cart_item WHERE cart = c AND item = i;
  IF held IS NULL THEN
    RETURN false;
  END IF;
  UPDATE cart_item SET quantity = q WHERE cart = c AND item = i;
  RETURN true;
END $$;

CREATE FUNCTION show_cart(c integer) RETURNS SETOF cart_item
LANGUAGE sql AS $$
  SELECT * FROM cart_item WHERE cart = c ORDER BY item;
$$;
