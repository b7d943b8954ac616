import { createHash, createHmac } from "node:crypto";
import { UnreadableMessage } from "@factory/runtime/bus/bus";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { AuditRecord } from "@factory/runtime/messages/audit-record";
import { type ChainFacts, chainHash, genesisHash, personalDigest } from "./chain-record.js";
import { newRecord } from "./record-facts.js";

const sha256 = (...parts: (Buffer | string)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

const facts: ChainFacts = {
  tenantId: "ten_01",
  position: 1,
  recordId: "aud_01",
  time: "2026-11-22T10:00:00.000Z",
  source: "/spine",
  operation: "deleteUser",
  outcome: "Succeeded",
  subject: undefined,
  principal: "usr_é",
  traceId: "00",
};

describe("the hash of a record", () => {
  it("is the SHA-256 of the hash before and of the canonical JSON", () => {
    const text =
      '{"operation":"deleteUser","outcome":"Succeeded","position":1,"principal":"usr_é","recordId":"aud_01","source":"/spine","tenantId":"ten_01","time":"2026-11-22T10:00:00.000Z","traceId":"00"}';
    expect(genesisHash.toString("hex")).toBe("0".repeat(64));
    const first = chainHash(genesisHash, facts);
    expect(first.toString("hex")).toBe(sha256(Buffer.alloc(32), text));
    const second = chainHash(first, { ...facts, position: 2 });
    expect(second.toString("hex")).toBe(sha256(first, text.replace('"position":1', '"position":2')));
  });

  it.each(Object.keys(facts) as (keyof ChainFacts)[])("changes with the member %s", (member) => {
    const changedFacts = { ...facts, [member]: member === "position" ? 2 : "another" };
    expect(chainHash(genesisHash, changedFacts).equals(chainHash(genesisHash, facts))).toBe(false);
  });
});

describe("the digest of personal data", () => {
  it("is an HMAC with the salt of the record, and absent where there is no personal data", () => {
    const salt = Buffer.alloc(32, 7);
    const digest = createHmac("sha256", salt).update('{"address":"192.0.2.1","email":"a@b.example"}').digest("hex");
    expect(personalDigest(salt, { email: "a@b.example", address: "192.0.2.1" })?.toString("hex")).toBe(digest);
    expect(personalDigest(Buffer.alloc(32, 8), { email: "a@b.example", address: "192.0.2.1" })).not.toEqual(digest);
    expect(personalDigest(salt, { email: undefined })).toBeUndefined();
  });
});

describe("a message of the bus", () => {
  const message = (changes: Partial<AuditRecord> = {}): AuditRecord => ({
    messagekind: "audit",
    id: newId("aud"),
    type: "AuditRecord",
    time: "2026-11-22T10:00:00Z",
    tenantid: newId("ten"),
    source: "/catalog",
    operation: "registerTemplate",
    outcome: "Succeeded",
    traceid: "f".repeat(32),
    partitionkey: "x",
    ...changes,
  });

  it("becomes facts without personal data, and personal data with a salt", () => {
    const { facts: recordFacts, personal, salt } = newRecord(message({ address: "192.0.2.1", email: "a@b.example" }));
    expect(JSON.stringify(recordFacts)).not.toMatch(/192\.0|b\.example/);
    expect(personal).toEqual({ address: "192.0.2.1", email: "a@b.example", userAgent: undefined });
    expect(recordFacts.time).toBe("2026-11-22T10:00:00.000Z");
    expect(recordFacts.personalDigest).toBe(personalDigest(salt ?? Buffer.alloc(0), personal)?.toString("hex"));
    expect(newRecord(message())).toMatchObject({ salt: undefined, facts: { personalDigest: undefined } });
  });

  it("is cut to what an index and PostgreSQL can hold, so that no caller can keep a record out of the log", () => {
    const { facts: recordFacts } = newRecord(
      message({ subject: `users/\0${"😀".repeat(2000)}`, principal: "p".repeat(9000), count: 1e300, status: -1 }),
    );
    expect(recordFacts.subject).toMatch(/^users\/\ufffd/);
    expect(recordFacts.subject?.length).toBe(500);
    expect(recordFacts.subject).not.toMatch(/\p{Surrogate}/u);
    expect(recordFacts).toMatchObject({ count: 2_147_483_647, status: 0 });
    expect(recordFacts.principal).toHaveLength(200);
  });

  it.each([{ id: "aud_x" }, { tenantid: "nobody" }, { time: "yesterday" }])("%j can never be chained", (changes) => {
    expect(() => newRecord(message(changes))).toThrow(UnreadableMessage);
  });
});
