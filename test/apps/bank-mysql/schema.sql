-- A small bank in MySQL.
CREATE TABLE `account` (
  `id`      INT UNSIGNED NOT NULL AUTO_INCREMENT,
  `owner`   VARCHAR(40)  NOT NULL,
  `balance` INT          NOT NULL DEFAULT '0',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE `visits` (
  `day` DATE NOT NULL,
  `n`   INT  NOT NULL,
  PRIMARY KEY (`day`)
) ENGINE=InnoDB;

CREATE TABLE `entry` (
  `id`      INT NOT NULL AUTO_INCREMENT,
  `account` INT UNSIGNED NOT NULL,
  `amount`  INT NOT NULL,
  PRIMARY KEY (`id`),
  KEY `entry_account` (`account`)
) ENGINE=InnoDB;
