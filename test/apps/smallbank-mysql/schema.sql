-- SmallBank in its first form: customers by name, their savings and checking accounts.
CREATE TABLE `account` (
  `name`   VARCHAR(64) NOT NULL,
  `custid` INT NOT NULL,
  PRIMARY KEY (`name`),
  UNIQUE KEY `account_custid` (`custid`)
) ENGINE=InnoDB;

CREATE TABLE `saving` (
  `custid`  INT NOT NULL,
  `balance` INT NOT NULL,
  PRIMARY KEY (`custid`)
) ENGINE=InnoDB;

CREATE TABLE `checking` (
  `custid`  INT NOT NULL,
  `balance` INT NOT NULL,
  PRIMARY KEY (`custid`)
) ENGINE=InnoDB;
