CREATE TABLE accounts (
  id int AUTO_INCREMENT PRIMARY KEY,
  owner varchar(100) NOT NULL UNIQUE,
  balance int NOT NULL DEFAULT 0,
  note text,
  version int NOT NULL DEFAULT 1
);
CREATE TABLE orders (
  id int AUTO_INCREMENT PRIMARY KEY,
  account_id int NOT NULL,
  total int NOT NULL,
  status varchar(20) NOT NULL DEFAULT 'open',
  FOREIGN KEY (account_id) REFERENCES accounts (id)
);
CREATE TABLE `lines` (
  order_id int NOT NULL,
  product varchar(50) NOT NULL,
  quantity int NOT NULL,
  PRIMARY KEY (order_id, product),
  FOREIGN KEY (order_id) REFERENCES orders (id)
);
