# What an application sends to MySQL: user variables carry values from one statement to the next.

-- @transaction Withdraw
START TRANSACTION;
SELECT `balance` INTO @b FROM `account` WHERE `id` = @account;
-- ^^^ lost-update state: Withdraw, Withdraw (read-committed, mysql:read-committed, mysql:repeatable-read)
-- ^^^ lost-update state: Withdraw, Deposit (mysql:read-committed, mysql:repeatable-read)
-- ^^^ lost-update state: Withdraw, Transfer (read-committed, mysql:read-committed, mysql:repeatable-read)
UPDATE `account` SET `balance` = @b - @amount WHERE `id` = @account AND @b >= @amount;
COMMIT;

-- @transaction Deposit
START TRANSACTION;
UPDATE `account` SET `balance` = `balance` + @amount WHERE `id` = @account;
-- ^^^ lost-update state: Deposit, Withdraw (read-committed)
-- ^^^ lost-update state: Deposit, Deposit (read-committed)
-- ^^^ lost-update state: Deposit, Transfer (read-committed)
INSERT INTO `entry` SET `account` = @account, `amount` = @amount;
COMMIT;

-- @transaction Transfer
-- @isolens distinct source, target
START TRANSACTION;
SELECT balance INTO @available FROM account WHERE id = @source;
-- ^^^ lost-update state: Transfer, Transfer (read-committed)
-- ^^^ non-repeatable-read state: Transfer, Withdraw (mysql:read-committed, mysql:repeatable-read)
-- ^^^ non-repeatable-read state: Transfer, Transfer (mysql:read-committed, mysql:repeatable-read)
UPDATE account SET balance = balance - @amount WHERE id = @source AND @available >= @amount;
UPDATE account SET balance = balance + @amount WHERE id = @target AND @available >= @amount;
COMMIT;

-- @transaction Open
START TRANSACTION;
INSERT INTO account (owner, balance) VALUES (@owner, 0);
INSERT INTO entry (account, amount) VALUES (LAST_INSERT_ID(), 0);
COMMIT;

-- @transaction Visit
INSERT INTO visits (day, n) VALUES (@day, 1) ON DUPLICATE KEY UPDATE n = n + VALUES(n);
-- ^^^ lost-update state: Visit, Visit (read-committed)

-- @transaction Statement
START TRANSACTION READ ONLY;
SELECT balance FROM account WHERE id = @account;
-- ^^^ read-skew value: Statement, Deposit (read-committed, mysql:read-committed)
SELECT SUM(amount) FROM entry WHERE account = @account;
COMMIT;
