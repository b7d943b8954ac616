import { hash, verify } from "@node-rs/argon2";

/** argon2id as OWASP's minimum has it: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Each holds 19 MiB and a thread of libuv while it runs. */
const atOnce = 4;
const mostWaiting = 200;

export const passwordLength = { min: 8, max: 128 };

/** PHC string. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(normalized(password), cost));
}

/** Undefined stands for nobody's password: the same work is done, and the answer is no. */
export function passwordMatches(password: string, phc: string | undefined): Promise<boolean> {
  return inTurn(async () => {
    const matches = await verify(phc ?? (await nobodysHash), normalized(password));
    return phc !== undefined && matches;
  });
}

/** NIST SP 800-63B section 5.1.1.2: one password is one string, however it was typed. */
const normalized = (password: string) => password.normalize("NFKC");

const nobodysHash = hash(Buffer.from(crypto.getRandomValues(new Uint8Array(32))), cost);

const waiting: (() => void)[] = [];
let running = 0;

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= mostWaiting) throw new PasswordsBusyError();
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

/** More sign-ins wait than could be served in a reasonable time. */
export class PasswordsBusyError extends Error {
  override readonly name = "PasswordsBusyError";
}
