// tables: spine.signing_keys

export const signingKeysExist = "select to_regclass('spine.signing_keys') is not null as exist";

/** Ids of the keys that sealed the signing keys in use. A value from an early release names none. */
export const sealingKeys = `select distinct split_part(sealed_private_key, '.', 1) as id from spine.signing_keys
  where (retires_at is null or retires_at > now()) and position('.' in sealed_private_key) > 0`;
