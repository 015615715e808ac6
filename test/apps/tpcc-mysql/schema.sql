-- The nine tables of TPC-C, with the columns that its five transactions read or write.
CREATE TABLE warehouse (
  w_id   INT PRIMARY KEY,
  w_name VARCHAR(20) NOT NULL,
  w_tax  INT NOT NULL,
  w_ytd  INT NOT NULL
) ENGINE=InnoDB;

CREATE TABLE district (
  d_w_id      INT NOT NULL,
  d_id        INT NOT NULL,
  d_name      VARCHAR(20) NOT NULL,
  d_tax       INT NOT NULL,
  d_ytd       INT NOT NULL,
  d_next_o_id INT NOT NULL,
  PRIMARY KEY (d_w_id, d_id),
  FOREIGN KEY (d_w_id) REFERENCES warehouse (w_id)
) ENGINE=InnoDB;

CREATE TABLE customer (
  c_w_id         INT NOT NULL,
  c_d_id         INT NOT NULL,
  c_id           INT NOT NULL,
  c_last         VARCHAR(20) NOT NULL,
  c_credit       VARCHAR(20) NOT NULL,
  c_discount     INT NOT NULL,
  c_balance      INT NOT NULL,
  c_ytd_payment  INT NOT NULL,
  c_payment_cnt  INT NOT NULL,
  c_delivery_cnt INT NOT NULL,
  PRIMARY KEY (c_w_id, c_d_id, c_id),
  FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id)
) ENGINE=InnoDB;

-- A payment is only ever written down here.
CREATE TABLE history (
  h_id     BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  h_c_w_id INT NOT NULL,
  h_c_d_id INT NOT NULL,
  h_c_id   INT NOT NULL,
  h_amount INT NOT NULL
) ENGINE=InnoDB;

CREATE TABLE orders (
  o_w_id       INT NOT NULL,
  o_d_id       INT NOT NULL,
  o_id         INT NOT NULL,
  o_c_id       INT NOT NULL,
  o_carrier_id INT,
  o_ol_cnt     INT NOT NULL,
  PRIMARY KEY (o_w_id, o_d_id, o_id)
) ENGINE=InnoDB;

CREATE TABLE new_order (
  no_w_id INT NOT NULL,
  no_d_id INT NOT NULL,
  no_o_id INT NOT NULL,
  PRIMARY KEY (no_w_id, no_d_id, no_o_id)
) ENGINE=InnoDB;

CREATE TABLE item (
  i_id    INT PRIMARY KEY,
  i_name  VARCHAR(20) NOT NULL,
  i_price INT NOT NULL
) ENGINE=InnoDB;

CREATE TABLE stock (
  s_w_id      INT NOT NULL,
  s_i_id      INT NOT NULL,
  s_quantity  INT NOT NULL,
  s_ytd       INT NOT NULL,
  s_order_cnt INT NOT NULL,
  PRIMARY KEY (s_w_id, s_i_id),
  FOREIGN KEY (s_i_id) REFERENCES item (i_id)
) ENGINE=InnoDB;

CREATE TABLE order_line (
  ol_w_id        INT NOT NULL,
  ol_d_id        INT NOT NULL,
  ol_o_id        INT NOT NULL,
  ol_number      INT NOT NULL,
  ol_i_id        INT NOT NULL,
  ol_supply_w_id INT NOT NULL,
  ol_quantity    INT NOT NULL,
  ol_amount      INT NOT NULL,
  ol_delivered   BOOLEAN NOT NULL DEFAULT false,
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
) ENGINE=InnoDB;
