"use strict";
const shop = require("./shop");

const RUNS = 12;
let seed = 7;
const random = (least, most) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return least + (seed % (most - least + 1));
};

async function often(name, values) {
  let done = 0;
  for (let number = 0; number < RUNS; number++) {
    try {
      await shop[name](...values(number));
      done++;
    } catch (error) {
      if (!(error instanceof shop.Refused)) throw error;
    }
  }
  if (done < 3) throw new Error(`${name} was always refused`);
}

async function main() {
  const { source } = shop;
  await source.initialize();
  const { manager } = source;
  await manager.insert(shop.Account, [{ balance: 300 }, { balance: 400 }, { balance: 500 }]);
  await manager.insert(shop.Event, [{ capacity: 3 }, { capacity: 4 }, { capacity: 5 }]);
  for (const most of [1, 2, 3])
    await manager.insert(shop.Coupon, { code: `C-${most}`, max_uses: 2 + most, used: 0 });
  for (let at = 0; at < 9; at++) await manager.insert(shop.Doctor, { on_call: true });
  for (const version of [0, 3, 7]) await manager.insert(shop.Document, { body: "", version });
  for (const name of ["withdraw", "withdraw_locked"])
    await often(name, () => [random(1, 3), random(3, 90)]);
  await often("book", (n) => [random(1, 3), `w${n}`]);
  for (const name of ["redeem", "redeem_in_place"]) {
    await often(name, () => [`C-${random(1, 3)}`]);
    await manager.updateAll(shop.Coupon, { used: 0 });
  }
  for (const name of ["go_off_call", "go_off_call_serializable"]) {
    await often(name, (n) => [1 + (n % 9)]);
    await manager.updateAll(shop.Doctor, { on_call: true });
  }
  await often("issue_ticket", (n) => [`h${n}`]);
  await often("take_seat", (n) => [n % 10, `h${n}`]);
  await often("edit_document", (n) => [random(1, 3), `text ${n}`]);
  await source.destroy();
}

main();
