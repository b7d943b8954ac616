/** The closed list of wire ID prefixes (`tpl_…`), and the kind that each prefix names. */
export const idPrefixes = {
  tpl: "template",
  tpv: "template version",
  exe: "execution",
  sca: "scaffold output",
  val: "validation result",
  mtx: "compatibility matrix",
  scn: "dependency scan",
  rep: "repository",
  lib: "library",
  lbv: "library version",
  con: "connection",
  prv: "provider",
  whs: "webhook subscription",
  whd: "webhook delivery",
  run: "run",
  crd: "credential",
  evt: "event",
  cmd: "command",
  ten: "tenant",
  usr: "user",
  inv: "invitation",
  rol: "role",
  asg: "role assignment",
  sub: "plan subscription",
  ntf: "notification",
  ntm: "notification message",
  ndg: "notification digest",
  rpd: "report definition",
  cli: "API client",
  apc: "vendor API client",
  apr: "approval",
  crv: "credential version",
  att: "delivery attempt",
  msg: "outbound message",
  aud: "audit record",
  fac: "second factor",
  pwr: "password reset",
} as const;

/** A wire ID's prefix, for example `tpl`. */
export type IdPrefix = keyof typeof idPrefixes;

/** The prefixes of opaque ids, whose objects are known by a key. */
export const keyIdPrefixes = {
  cfg: "configuration entry",
  edn: "edition",
  flg: "feature flag",
  ntt: "notification template",
} as const;

/** An opaque id's prefix, for example `flg`. */
export type KeyIdPrefix = keyof typeof keyIdPrefixes;
