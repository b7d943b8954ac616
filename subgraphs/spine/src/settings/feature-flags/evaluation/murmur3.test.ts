import { randomBytes, randomInt, randomUUID } from "node:crypto";
import murmur from "murmurhash3js-revisited";
import { normalizedStrategyValue } from "unleash-client/lib/strategy/util.js";
import { CompiledFlag } from "./compiled-flag.js";
import type { FlagSettings } from "./flag-rule.js";
import { Murmur3 } from "./murmur3.js";

const settings: FlagSettings = {
  ...{ enabled: true, rolloutPercentage: 50, description: null, stickiness: "targetingKey", rules: [] },
};
const bucketOf = (key: string, id: string) => new CompiledFlag(key, settings, "ten_x").bucket(Buffer.from(id));

const ascii = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join("");
const keyCharacters = ascii.replaceAll(/[^A-Za-z0-9._-]/g, "");
const aText = (characters: string, length: number) =>
  Array.from({ length }, () => characters[randomInt(characters.length)]).join("");

describe("the bucket of an id", () => {
  it("agrees with unleash-client for 10,000 random ASCII contexts", () => {
    const wrong: unknown[] = [];
    for (let count = 0; count < 10_000; count += 1) {
      const [key, id] = [aText(keyCharacters, 1 + randomInt(100)), aText(ascii, 1 + randomInt(60))];
      if (bucketOf(key, id) !== normalizedStrategyValue(id, key)) wrong.push([key, id]);
    }
    expect(wrong).toEqual([]);
  });

  it("hashes the UTF-8 bytes of an id, as murmurhash3js-revisited does", () => {
    const wrong: unknown[] = [];
    const code = () =>
      [randomInt(0x80), randomInt(0x800), randomInt(0xd800), 0x10000 + randomInt(0xffff)][randomInt(4)];
    for (let count = 0; count < 10_000; count += 1) {
      const key = aText(keyCharacters, 1 + randomInt(20));
      const id = String.fromCodePoint(...Array.from({ length: 1 + randomInt(20) }, () => code() ?? 65));
      const expectedBucket = (murmur.x86.hash32(Buffer.from(`${key}:${id}`)) % 100) + 1;
      if (bucketOf(key, id) !== expectedBucket) wrong.push([key, id]);
    }
    expect(wrong).toEqual([]);
    // unleash-client takes only each character's lowest byte, so these land elsewhere there
    expect(["åsa", "日本"].map((id) => (murmur.x86.hash32(Buffer.from(`flag:${id}`)) % 100) + 1)).toEqual(
      ["åsa", "日本"].map((id) => bucketOf("flag", id)),
    );
  });

  it("spreads the ids evenly, and two flags independently", () => {
    const ids = Array.from({ length: 100_000 }, () => Buffer.from(randomUUID()));
    const [firstFlag, secondFlag] = ["one", "two"].map((key) => new CompiledFlag(key, settings, "ten_x"));
    const share = (count: number, of: number) => Math.round((1000 * count) / of) / 1000;
    const inOne = ids.filter((id) => (firstFlag?.bucket(id) ?? 0) <= 25);
    expect(share(inOne.length, ids.length)).toBeCloseTo(0.25, 1);
    expect(share(inOne.filter((id) => (secondFlag?.bucket(id) ?? 0) <= 25).length, inOne.length)).toBeCloseTo(0.25, 1);
  });
});

describe("Murmur3", () => {
  it("gives the same hash wherever the beginning ends", () => {
    for (let length = 0; length < 40; length += 1) {
      const bytes = randomBytes(length);
      const expectedHash = murmur.x86.hash32(bytes);
      for (let cut = 0; cut <= length; cut += 1)
        expect(new Murmur3(bytes.subarray(0, cut)).of(bytes.subarray(cut))).toBe(expectedHash);
    }
  });
});
