package shop

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

const runs = 12

const schema = `
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
INSERT INTO document (body, version) VALUES ('', 0), ('', 3), ('', 7)`

func often(t *testing.T, work func(n int) error) {
	done := 0
	for n := 0; n < runs; n++ {
		err := work(n)
		if err == nil {
			done++
		} else if !errors.Is(err, errRefused) {
			t.Fatal(err)
		}
	}
	if done < 3 {
		t.Fatal("always refused")
	}
}

func TestShop(t *testing.T) {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, schema); err != nil {
		t.Fatal(err)
	}
	s := shop{pool}
	random := rand.New(rand.NewSource(7))
	id := func() int { return 1 + random.Intn(3) }
	code := func() string { return fmt.Sprintf("C-%d", id()) }
	often(t, func(int) error { return s.withdraw(ctx, id(), 3+random.Intn(88)) })
	often(t, func(int) error { return s.withdrawLocked(ctx, id(), 3+random.Intn(88)) })
	often(t, func(n int) error { return s.book(ctx, id(), fmt.Sprint("w", n)) })
	often(t, func(int) error { return s.redeem(ctx, code()) })
	if _, err := pool.Exec(ctx, "UPDATE coupon SET used = 0 WHERE id > 0"); err != nil {
		t.Fatal(err)
	}
	often(t, func(int) error { return s.redeemInPlace(ctx, code()) })
	often(t, func(n int) error { return s.goOffCall(ctx, 1+n%9) })
	often(t, func(n int) error { return s.goOffCallSerializable(ctx, 1+n%9) })
	often(t, func(n int) error { return s.issueTicket(ctx, fmt.Sprint("h", n)) })
	often(t, func(n int) error { return s.takeSeat(ctx, n%10, fmt.Sprint("h", n)) })
	often(t, func(n int) error { return s.editDocument(ctx, id(), fmt.Sprint("text ", n)) })
}
