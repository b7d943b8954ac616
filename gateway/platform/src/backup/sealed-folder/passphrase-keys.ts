import { createHmac, hkdfSync, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { BackupProblem } from "./backup-problem.js";

/** How a backup's keys are made from its passphrase. It is in the manifest. */
interface KeyRecipe {
  /** Hexadecimal. */
  readonly salt: string;
  readonly cost: number;
  /** Tells a wrong passphrase from a damaged backup. Hexadecimal. */
  readonly proof: string;
}

const cost = 2 ** 17;
const mostCost = 2 ** 20;
const blockSize = 8;
const keyBytes = 32;

/** A backup's keys: one for its manifest, and one for each file. */
export class PassphraseKeys {
  readonly recipe: KeyRecipe;
  readonly #master: Buffer;

  private constructor(master: Buffer, salt: string, costOfMaster: number) {
    this.#master = master;
    this.recipe = { salt, cost: costOfMaster, proof: this.#derived("proof").toString("hex") };
  }

  /** Keys for a new backup. */
  static async make(passphrase: string): Promise<PassphraseKeys> {
    const salt = randomBytes(keyBytes);
    return new PassphraseKeys(await stretched(passphrase, salt, cost), salt.toString("hex"), cost);
  }

  /** The keys for an existing backup. Throws BackupProblem for a wrong passphrase. */
  static async open(passphrase: string, recipe: KeyRecipe): Promise<PassphraseKeys> {
    if (recipe.cost > mostCost) throw new BackupProblem("The manifest is damaged: its key is too costly.");
    const master = await stretched(passphrase, Buffer.from(recipe.salt, "hex"), recipe.cost);
    const keys = new PassphraseKeys(master, recipe.salt, recipe.cost);
    if (keys.recipe.proof !== recipe.proof) throw new BackupProblem("The passphrase is not that of the backup.");
    return keys;
  }

  forFile(name: string): Buffer {
    return this.#derived(`file ${name}`);
  }

  /** The digest that only this passphrase can make, as hexadecimal. */
  sign(text: string): string {
    return createHmac("sha256", this.#derived("manifest")).update(text).digest("hex");
  }

  isSigned(text: string, signature: string): boolean {
    const [expectedBytes, givenBytes] = [Buffer.from(this.sign(text), "hex"), Buffer.from(signature, "hex")];
    return expectedBytes.length === givenBytes.length && timingSafeEqual(expectedBytes, givenBytes);
  }

  #derived(purpose: string): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#master, "", `factory backup ${purpose}`, keyBytes));
  }
}

function stretched(passphrase: string, salt: Buffer, N: number): Promise<Buffer> {
  const options = { N, r: blockSize, p: 1, maxmem: 2 * 128 * N * blockSize };
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize("NFC"), salt, keyBytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}
