import { hash, verify } from "@node-rs/argon2";

/** The minimum that OWASP recommends for argon2id: 19 MiB, two iterations, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Each hash uses 19 MiB and one libuv thread while it is computed. */
const maxParallelHashes = 4;
const maxWaitingHashes = 200;

/** In characters as people count them (code points). */
export const passwordLength = { min: 8, max: 128 };

/** An argon2id hash as a PHC string. Throws PasswordsBusyError. */
export function hashPassword(password: string): Promise<string> {
  return withHashSlot(() => hash(normalForm(password), cost));
}

/**
 * Without a hash the result is false after the same work, so that the time does not tell whether the user exists.
 * Throws PasswordsBusyError.
 */
export function passwordMatches(password: string, phc: string | undefined): Promise<boolean> {
  return withHashSlot(async () => {
    const matches = await verify(phc ?? (await unknownHash), normalForm(password));
    return phc !== undefined && matches;
  });
}

/** NIST SP 800-63B section 5.1.1.2: a password's different Unicode forms are the same password. */
const normalForm = (password: string) => password.normalize("NFKC");

const unknownHash = hash(Buffer.from(crypto.getRandomValues(new Uint8Array(32))), cost);

const waiting: (() => void)[] = [];
let running = 0;

async function withHashSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxParallelHashes) {
    if (waiting.length >= maxWaitingHashes) throw new PasswordsBusyError();
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** Too many passwords wait to be hashed. */
export class PasswordsBusyError extends Error {
  override readonly name = "PasswordsBusyError";
}
