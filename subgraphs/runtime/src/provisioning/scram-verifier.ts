import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const derived = promisify(pbkdf2);

/** The smallest number that RFC 7677 allows. The passwords have 256 random bits, so more rounds protect nothing. */
const rounds = 4096;
const form = /^SCRAM-SHA-256\$(\d{1,9}):([^$]+)\$/;

/**
 * The form in which PostgreSQL stores a password for SCRAM-SHA-256 (RFC 5803). It may stand in the log of the server,
 * because nobody can log in with it. The password must be ASCII, since it is not prepared by SASLprep.
 */
export async function scramVerifier(password: string, salt = randomBytes(16), iterations = rounds): Promise<string> {
  const salted = await derived(password, salt, iterations, 32, "sha256");
  const keyOf = (name: string) => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${keyOf("Server Key").toString("base64")}`;
}

/** Whether a login with the password would succeed. False for a stored form of another kind. */
export async function isVerifierOf(password: string, verifier: string): Promise<boolean> {
  const [, iterations, salt] = form.exec(verifier) ?? [];
  if (iterations === undefined || salt === undefined || Number(iterations) > 100 * rounds) return false;
  return (await scramVerifier(password, Buffer.from(salt, "base64"), Number(iterations))) === verifier;
}
