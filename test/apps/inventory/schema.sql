CREATE TABLE product (
  sku   integer PRIMARY KEY,
  name  text    NOT NULL,
  stock integer NOT NULL
);

CREATE TABLE reservation (
  id       integer PRIMARY KEY,
  sku      integer NOT NULL REFERENCES product (sku),
  quantity integer NOT NULL
);

CREATE TABLE coupon (
  code     text    PRIMARY KEY,
  max_uses integer NOT NULL
);

CREATE TABLE redemption (
  code     text    NOT NULL REFERENCES coupon (code),
  customer integer NOT NULL,
  PRIMARY KEY (code, customer)
);
