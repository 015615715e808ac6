// Members that Lombok writes: accessors, constructors and builders stand where annotations ask for them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { transactionsOf } from "../codePrograms";
import { shown } from "./javaPrograms";

const DDL = "CREATE TABLE seat (id bigint PRIMARY KEY, holder bigint, price bigint, open boolean);";

const SEATS = {
  "app/Seats.java": `package app; import org.springframework.data.jpa.repository.*;
    public interface Seats extends JpaRepository<Seat, Long> {}`,
};

/** The statements of a transaction that gets a `Take`, with these classes beside it. */
function check(
  name: string,
  { seat, take, body }: { readonly seat: string; readonly take: string; readonly body: string },
  ...expected: readonly string[]
): void {
  test(name, async () => {
    const found = await transactionsOf(DDL, {
      ...SEATS,
      "app/Seat.java": `package app; import jakarta.persistence.*; import lombok.*; import lombok.experimental.*;
        @Entity ${seat}`,
      "app/Take.java": `package app; import lombok.*; import lombok.experimental.*; ${take}`,
      "app/S.java": `package app; import lombok.*; import org.springframework.transaction.annotation.Transactional;
        @RequiredArgsConstructor public class S { private final Seats seats;
          @Transactional public void run(long id, long by) { ${body} } }`,
    });
    assert.deepEqual(found.flatMap(shown), ["explicit", ...expected]);
  });
}

const READ =
  "r1 = select seat.id as id, seat.holder as holder, seat.price as price, seat.open as open from seat where (seat.id = :id)";

/** The program of a method that changes the row where it is there, if a condition says that it differs. */
function updated(condition: string, columns: string): readonly string[] {
  return [
    READ,
    "if (size(r1) <= 0)",
    "  rollback",
    `if ${condition}`,
    `  update seat set ${columns} where (seat.id = r1.id)`,
    "  if not (affected(S.run/2) = 1)",
    "    rollback",
  ];
}

const SEAT = `@Getter @Setter public class Seat { @Id private Long id; private Long holder; private Long price; private boolean open; }`;

check(
  "what a constructor of all arguments was given comes back from getters",
  {
    seat: SEAT,
    take: "@Getter @AllArgsConstructor public class Take { private final long seat; private final long by; }",
    body: "Take take = new Take(id, by); Seat s = seats.findById(take.getSeat()).orElseThrow(); s.setHolder(take.getBy());",
  },
  ...updated("not (:by == r1.holder)", "holder = :by, price = r1.price, open = r1.open"),
);

check(
  "a value class has its constructor and its getters, a nested class its own",
  {
    seat: SEAT,
    take: "public class Take { @Value public static class Of { long seat; boolean isOpen; @Getter(AccessLevel.NONE) long by; } }",
    body: "Take.Of of = new Take.Of(id, true, by); Seat s = seats.findById(of.getSeat()).orElseThrow(); s.setOpen(of.isOpen());",
  },
  ...updated("not (true == r1.open)", "holder = r1.holder, price = r1.price, open = true"),
);

check(
  "fluent accessors have the names of their fields, chained ones give the object",
  {
    seat: `@Getter @Setter @Accessors(chain = true) public class Seat { @Id private Long id; private Long holder; private Long price; private boolean open; }`,
    take: "@Data @Accessors(fluent = true) public class Take { private long seat; private long by; }",
    body: "Take take = new Take().seat(id).by(by); Seat s = seats.findById(take.seat()).orElseThrow(); s.setHolder(take.by()).setPrice(7L);",
  },
  ...updated(
    "(not (:by == r1.holder) or not (7 == r1.price))",
    "holder = :by, price = 7, open = r1.open",
  ),
);

check(
  "a builder collects what its object is made of, with the values that it has by default",
  {
    seat: `@Builder @NoArgsConstructor @AllArgsConstructor public class Seat {
      @Id private Long id; private Long holder; @Builder.Default private Long price = 5L; private boolean open;
      public static Seat of(Long holder) { return builder().holder(holder).build(); } }`,
    take: "public class Take {}",
    body: "seats.save(Seat.of(by));",
  },
  "insert seat {id = null, holder = :by, price = 5, open = false}",
);

check(
  "a builder of a constructor takes that one's parameters",
  {
    seat: `public class Seat { @Id @GeneratedValue private Long id; private Long holder; private Long price; private boolean open;
      protected Seat() {}
      @Builder private Seat(Long by, Long cost) { this.holder = by; this.price = cost + 1; this.open = true; } }`,
    take: "public class Take {}",
    body: "seats.save(Seat.builder().cost(2L).by(by).build());",
  },
  "insert seat {id = null, holder = :by, price = 3, open = true} returning r1: seat.id as id",
);

check(
  "a copy differs in one field, and toBuilder begins with what is there",
  {
    seat: SEAT,
    take: "@With @Value @Builder(toBuilder = true) public class Take { long seat; long by; }",
    body: `Take take = new Take(id, 1).withBy(by).toBuilder().build(); Seat s = seats.findById(take.getSeat()).orElseThrow();
      s.setHolder(take.getBy());`,
  },
  ...updated("not (:by == r1.holder)", "holder = :by, price = r1.price, open = r1.open"),
);

check(
  "a method that is written stands, whatever the annotations say",
  {
    seat: `@Data public class Seat { @Id private Long id; private Long holder; private Long price; private boolean open;
      public void setHolder(Long by) { this.price = by; } }`,
    take: "public class Take {}",
    body: "Seat s = seats.findById(id).orElseThrow(); s.setHolder(by);",
  },
  ...updated("not (:by == r1.price)", "holder = r1.holder, price = :by, open = r1.open"),
);
