<?php
declare(strict_types=1);

require __DIR__ . '/shop.php';

const RUNS = 12;
const SCHEMA = <<<'SQL'
DROP TABLE IF EXISTS account, event, booking, coupon, doctor, nurse, ticket, seat, document;
CREATE TABLE account (id serial PRIMARY KEY, balance int NOT NULL);
CREATE TABLE event (id serial PRIMARY KEY, capacity int NOT NULL);
CREATE TABLE booking (id serial PRIMARY KEY, event_id int NOT NULL REFERENCES event, who text NOT NULL);
CREATE TABLE coupon (id serial PRIMARY KEY, code text NOT NULL UNIQUE, max_uses int NOT NULL, used int NOT NULL);
CREATE TABLE doctor (id serial PRIMARY KEY, on_call boolean NOT NULL);
CREATE TABLE nurse (id serial PRIMARY KEY, on_call boolean NOT NULL);
CREATE TABLE ticket (id serial PRIMARY KEY, number int NOT NULL, holder text NOT NULL);
CREATE TABLE seat (id serial PRIMARY KEY, number int NOT NULL UNIQUE, holder text NOT NULL);
CREATE TABLE document (id serial PRIMARY KEY, body text NOT NULL, version int NOT NULL);
INSERT INTO account (balance) VALUES (300), (400), (500);
INSERT INTO event (capacity) VALUES (3), (4), (5);
INSERT INTO coupon (code, max_uses, used) VALUES ('C-1', 3, 0), ('C-2', 4, 0), ('C-3', 5, 0);
INSERT INTO doctor (on_call) SELECT true FROM generate_series(1, 9);
INSERT INTO nurse (on_call) SELECT true FROM generate_series(1, 9);
INSERT INTO document (body, version) VALUES ('', 0), ('', 3), ('', 7)
SQL;

$db = Doctrine\DBAL\DriverManager::getConnection([
    'driver' => 'pdo_pgsql',
    'host' => getenv('DB_HOST'),
    'port' => (int) getenv('DB_PORT'),
    'user' => getenv('DB_USER'),
    'dbname' => getenv('DB_NAME'),
]);
foreach (explode(';', SCHEMA) as $each) $db->executeStatement($each);
$shop = new Shop($db);
mt_srand(7);

function often(callable $work): void
{
    $done = 0;
    for ($number = 0; $number < RUNS; $number++) {
        try {
            $work($number);
            $done++;
        } catch (Refused) {
        }
    }
    if ($done < 3) throw new Exception('always refused');
}

$id = fn(): int => mt_rand(1, 3);
often(fn() => $shop->withdraw($id(), mt_rand(3, 90)));
often(fn() => $shop->withdrawLocked($id(), mt_rand(3, 90)));
often(fn($n) => $shop->book($id(), "w$n"));
often(fn() => $shop->redeem('C-' . $id()));
$db->executeStatement('UPDATE coupon SET used = 0 WHERE id > 0');
often(fn() => $shop->redeemInPlace('C-' . $id()));
often(fn($n) => $shop->leave('doctor', 1 + $n % 9));
often(fn($n) => $shop->leaveSerializable('nurse', 1 + $n % 9));
often(fn($n) => $shop->issueTicket("h$n"));
often(fn($n) => $shop->takeSeat($n % 10, "h$n"));
often(fn($n) => $shop->editDocument($id(), "text $n"));
echo "ok\n";
