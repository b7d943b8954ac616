import { uuidV7 } from "./uuid-v7.js";

/** What each prefix names; the closed list of decisions 7. */
export const idPrefixes = {
  tpl: "template",
  tpv: "template version",
  exe: "execution",
  sca: "scaffold output",
  val: "validation result",
  mtx: "compatibility matrix",
  lib: "library",
  lbv: "library version",
  con: "connection",
  prv: "provider",
  whs: "webhook subscription",
  whd: "webhook delivery",
  run: "run",
  crd: "credential",
  evt: "event",
  ten: "tenant",
  usr: "user",
  inv: "invitation",
  rol: "role",
  asg: "role assignment",
  sub: "plan subscription",
  ntf: "notification",
  rpd: "report definition",
  cli: "API client",
  apc: "vendor API client",
  apr: "approval",
  crv: "credential version",
  att: "delivery attempt",
  msg: "outbound message",
} as const;

export type IdPrefix = keyof typeof idPrefixes;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const valueOf = new Map(alphabet.split("").map((letter, index) => [letter, BigInt(index)]));
const wireForm = /^([a-z]{3})_([0-7][0-9a-hjkmnp-tv-z]{25})$/;

export function newId(prefix: IdPrefix): string {
  return encodeId(prefix, uuidV7());
}

/** `<prefix>_` and 26 characters of lower-case Crockford base32, most significant first. */
export function encodeId(prefix: IdPrefix, uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll("-", "")}`);
  let text = "";
  for (let place = 0; place < 26; place += 1) {
    text = alphabet.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return `${prefix}_${text}`;
}

/** The uuid inside an id of that prefix, or undefined for anything else a caller may have sent. */
export function decodeId(prefix: IdPrefix, id: unknown): string | undefined {
  const match = typeof id === "string" ? wireForm.exec(id) : null;
  if (match?.[1] !== prefix) return undefined;
  let value = 0n;
  for (const letter of match[2] ?? "") value = (value << 5n) | (valueOf.get(letter) ?? 0n);
  const hex = value.toString(16).padStart(32, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
