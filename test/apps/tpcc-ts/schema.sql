-- The nine tables of TPC-C, with the columns that its five transactions read or write.
CREATE TABLE warehouse (
  w_id   integer PRIMARY KEY,
  w_name text    NOT NULL,
  w_tax  integer NOT NULL,
  w_ytd  integer NOT NULL
);

CREATE TABLE district (
  d_w_id      integer NOT NULL REFERENCES warehouse (w_id),
  d_id        integer NOT NULL,
  d_name      text    NOT NULL,
  d_tax       integer NOT NULL,
  d_ytd       integer NOT NULL,
  d_next_o_id integer NOT NULL,
  PRIMARY KEY (d_w_id, d_id)
);

CREATE TABLE customer (
  c_w_id         integer NOT NULL,
  c_d_id         integer NOT NULL,
  c_id           integer NOT NULL,
  c_last         text    NOT NULL,
  c_credit       text    NOT NULL,
  c_discount     integer NOT NULL,
  c_balance      integer NOT NULL,
  c_ytd_payment  integer NOT NULL,
  c_payment_cnt  integer NOT NULL,
  c_delivery_cnt integer NOT NULL,
  PRIMARY KEY (c_w_id, c_d_id, c_id),
  FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id)
);

-- A payment is only ever written down here.
CREATE TABLE history (
  h_id     bigserial PRIMARY KEY,
  h_c_w_id integer NOT NULL,
  h_c_d_id integer NOT NULL,
  h_c_id   integer NOT NULL,
  h_amount integer NOT NULL
);

CREATE TABLE orders (
  o_w_id       integer NOT NULL,
  o_d_id       integer NOT NULL,
  o_id         integer NOT NULL,
  o_c_id       integer NOT NULL,
  o_carrier_id integer,
  o_ol_cnt     integer NOT NULL,
  PRIMARY KEY (o_w_id, o_d_id, o_id)
);

CREATE TABLE new_order (
  no_w_id integer NOT NULL,
  no_d_id integer NOT NULL,
  no_o_id integer NOT NULL,
  PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);

CREATE TABLE item (
  i_id    integer PRIMARY KEY,
  i_name  text    NOT NULL,
  i_price integer NOT NULL
);

CREATE TABLE stock (
  s_w_id      integer NOT NULL,
  s_i_id      integer NOT NULL REFERENCES item (i_id),
  s_quantity  integer NOT NULL,
  s_ytd       integer NOT NULL,
  s_order_cnt integer NOT NULL,
  PRIMARY KEY (s_w_id, s_i_id)
);

CREATE TABLE order_line (
  ol_w_id        integer NOT NULL,
  ol_d_id        integer NOT NULL,
  ol_o_id        integer NOT NULL,
  ol_number      integer NOT NULL,
  ol_i_id        integer NOT NULL,
  ol_supply_w_id integer NOT NULL,
  ol_quantity    integer NOT NULL,
  ol_amount      integer NOT NULL,
  ol_delivered   boolean NOT NULL DEFAULT false,
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);
