import { mebibyte } from "../arrived-deliveries/body-size.js";
import { BodyRooms } from "./body-rooms.js";

const full = expect.objectContaining({ code: "UNAVAILABLE", facts: expect.objectContaining({ retryAfterSeconds: 1 }) });
const to = (value: string, address = "192.0.2.1") => ({ hint: { kind: "subscription", value }, address }) as const;
const senderAt = (address: string) => ({ hint: undefined, address });

it("one resource takes at most 32 MiB, its tenant 64 and the process 128", () => {
  const rooms = new BodyRooms();
  const large = (resource: string, tenant: string) => {
    const room = rooms.open(to(resource), tenant);
    room.take(25 * mebibyte);
    return room;
  };
  const first = large("one", "t1");
  expect(() => large("one", "t1")).toThrow(full);
  large("two", "t1");
  expect(() => large("three", "t1")).toThrow(full);
  large("four", "t2");
  large("five", "t2");
  large("six", "t3");
  expect(() => large("seven", "t3")).toThrow(full);
  first.close();
  first.close();
  expect(() => large("seven", "t3")).not.toThrow();
  expect(rooms.bytes).toBe(125 * mebibyte);
});

it("bodies that name no resource leave half of the memory to the others", () => {
  const rooms = new BodyRooms();
  const takeAll = () => {
    for (let address = 0; ; address += 1) rooms.open(senderAt(`192.0.2.${address}`), undefined).take(mebibyte);
  };
  expect(takeAll).toThrow(full);
  expect(rooms.bytes).toBe(64 * mebibyte);
  expect(() => rooms.open(to("one"), "t1").take(25 * mebibyte)).not.toThrow();
});

it("the only body of a resource may take more, as a compressed one does that also counts as it was sent", () => {
  const rooms = new BodyRooms();
  const room = rooms.open(to("one"), "t1");
  room.take(20 * mebibyte);
  expect(() => room.take(25 * mebibyte)).not.toThrow();
  expect(() => rooms.open(to("one"), "t1").take(1)).toThrow(full);
  expect(() => room.take(20 * mebibyte)).toThrow(full);
});

it("one address takes at most 32 MiB, whatever keys of providers and accounts it invents", () => {
  const rooms = new BodyRooms();
  const takeAll = () => {
    for (let key = 0; ; key += 1)
      rooms.open({ hint: { kind: "account", value: `a${key}` }, address: "192.0.2.1" }, undefined).take(mebibyte);
  };
  expect(takeAll).toThrow(full);
  expect(rooms.bytes).toBe(32 * mebibyte);
});

it("a body that was refused gives back what it had", () => {
  const rooms = new BodyRooms({ perTenant: 10 });
  const room = rooms.open(to("one"), "t1");
  room.take(6);
  expect(() => room.take(6)).toThrow(full);
  room.close();
  expect(rooms.bytes).toBe(0);
});
