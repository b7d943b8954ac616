import { violatedUnique } from "@factory/runtime/errors/database-failure";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { lockUser } from "../../people/users/find-users.js";
import type { FactorChanges } from "../second-factors/kinds/factor-changes.js";
import type {
  EnrolledFactor,
  FactorEnrolment,
  FactorFields,
  FactorKind,
  FactorPerson,
  FactorProblem,
  FactorProof,
  FactorVisit,
  Identification,
  IdentifiedPerson,
} from "../second-factors/kinds/factor-kind.js";
import { factorName, maxFactorNameLength } from "../second-factors/kinds/factor-name.js";
import { readCreatedCredential, readUsedCredential } from "./credential-response.js";
import { methodsOf, type NewPasskey, type PasskeyCeremonies, type PasskeyUse } from "./passkey-ceremonies.js";
import { creationFields, credentialField, identificationFields, nameField, useFields } from "./passkey-fields.js";
import {
  addPasskey,
  countPasskeys,
  erasePasskeys,
  type PasskeyStore,
  recordPasskeyUse,
  removePasskey,
  renamePasskey,
  type StoredPasskey,
} from "./passkey-store.js";

interface PasskeyParts {
  readonly database: Database;
  readonly changes: FactorChanges;
  readonly store: PasskeyStore;
  readonly ceremonies: PasskeyCeremonies;
  readonly logger: Logger;
}

const maxPasskeys = 10;

const refusedUse = { field: credentialField, text: "The passkey was not accepted. Try again, or choose another way" };
const refusedCreation = { field: credentialField, text: "The passkey was not accepted. Try again" };

/** Passkeys (WebAuthn Level 3): as a second factor, and for a sign-in without a name and a password. */
export class PasskeyKind implements FactorKind {
  readonly kind = "Passkey";
  readonly label = "Passkey";
  readonly isCode = false;
  readonly enrolment: FactorEnrolment = {
    title: "Add a passkey",
    begin: (person, visit) => this.#begin(person, visit),
    finish: (person, visit, form) => this.#finish(person, visit, form),
  };
  readonly identification: Identification = {
    ask: (visit) => this.#askAnybody(visit),
    identify: (visit, form, cause) => this.#identify(visit, form, cause),
  };
  readonly #parts: PasskeyParts;

  constructor(parts: PasskeyParts) {
    this.#parts = parts;
  }

  async list(tenant: Tenant, userId: string): Promise<readonly EnrolledFactor[]> {
    const passkeys = await this.#parts.store.ofUser(tenant, userId);
    return passkeys.map(({ factorId, name, addedAt, lastUsedAt }) => ({
      ...{ factorId, name, addedAt, lastUsedAt },
      kind: this.kind,
      isRenamable: true,
    }));
  }

  async ask({ tenant, userId }: FactorPerson, visit: FactorVisit): Promise<FactorFields> {
    const { store, ceremonies } = this.#parts;
    const request = await ceremonies.use(await store.ofUser(tenant, userId));
    await visit.keep(request.challenge);
    return useFields(request);
  }

  async verify(person: FactorPerson, visit: FactorVisit, form: URLSearchParams): Promise<FactorProof | FactorProblem> {
    const { store, ceremonies } = this.#parts;
    const challenge = await visit.take();
    const credential = readUsedCredential(form.get(credentialField));
    if (!credential || challenge === undefined) return refusedUse;
    const { tenant, userId, cause } = person;
    const passkey = (await store.ofUser(tenant, userId)).find(({ credentialId }) => credentialId === credential.id);
    const use = passkey && (await ceremonies.used(credential, challenge, passkey));
    if (!passkey || !use || !(await this.#recordUse(passkey, use, cause))) return refusedUse;
    return { amr: methodsOf(passkey) };
  }

  rename(transaction: Transaction, userId: string, renaming: { factorId: string; name: string }): Promise<boolean> {
    return renamePasskey(transaction, { ...renaming, userId });
  }

  remove(transaction: Transaction, userId: string, factorId: string): Promise<boolean> {
    return removePasskey(transaction, userId, factorId);
  }

  erase(transaction: Transaction, userId: string): Promise<readonly string[]> {
    return erasePasskeys(transaction, userId);
  }

  async #askAnybody(visit: FactorVisit): Promise<FactorFields> {
    const request = await this.#parts.ceremonies.use();
    await visit.keep(request.challenge);
    return identificationFields(request);
  }

  /** The authenticator must have recognized the person: the passkey stands for the password, too. */
  async #identify(visit: FactorVisit, form: URLSearchParams, cause: Cause): Promise<IdentifiedPerson | undefined> {
    const { store, ceremonies } = this.#parts;
    const challenge = await visit.take();
    const credential = readUsedCredential(form.get(credentialField));
    if (!credential?.response.userHandle || challenge === undefined) return undefined;
    const passkey = await store.byCredential(credential.id);
    const use = passkey && (await ceremonies.used(credential, challenge, passkey));
    if (!passkey || !use?.userVerified || !(await this.#recordUse(passkey, use, cause))) return undefined;
    return { userId: passkey.userId, amr: [...methodsOf(passkey), "mfa"] };
  }

  /** False: the answer was used before, or the key was copied. */
  async #recordUse(passkey: StoredPasskey, { signatureCount }: PasskeyUse, cause: Cause): Promise<boolean> {
    const { database, logger } = this.#parts;
    const { tenant, userId, factorId } = passkey;
    const isNew = await database.transaction(tenant, { ...cause, actorId: userId }, (transaction) =>
      recordPasskeyUse(transaction, factorId, signatureCount),
    );
    if (!isNew)
      logger.warn({ factorId, userId, traceId: cause.trace.traceId }, "the signature counter of a passkey went back");
    return isNew;
  }

  async #begin(person: FactorPerson, visit: FactorVisit): Promise<FactorFields> {
    const { store, ceremonies } = this.#parts;
    const request = await ceremonies.creation(person, await store.ofUser(person.tenant, person.userId));
    await visit.keep(request.challenge);
    return creationFields(request);
  }

  async #finish(person: FactorPerson, visit: FactorVisit, form: URLSearchParams): Promise<FactorProof | FactorProblem> {
    const challenge = await visit.take();
    const name = factorName(form.get(nameField));
    if (name === undefined)
      return { field: nameField, text: `Enter a name with at most ${maxFactorNameLength} characters` };
    const credential = readCreatedCredential(form.get(credentialField));
    const passkey =
      credential && challenge !== undefined ? await this.#parts.ceremonies.created(credential, challenge) : undefined;
    if (!passkey) return refusedCreation;
    return this.#add(person, passkey, name === "" ? nameOf(passkey) : name);
  }

  async #add(person: FactorPerson, passkey: NewPasskey, name: string): Promise<FactorProof | FactorProblem> {
    const { tenant, userId, cause } = person;
    try {
      return await this.#parts.database.transaction(tenant, { ...cause, actorId: userId }, async (transaction) => {
        const user = await lockUser(transaction, userId);
        if (user.status !== "Active") return refusedCreation;
        if ((await countPasskeys(transaction, userId)) >= maxPasskeys)
          return {
            field: credentialField,
            text: `You have ${maxPasskeys} passkeys. Remove one before you add another`,
          };
        const factorId = addPasskey(transaction, { ...passkey, userId, name });
        await this.#parts.changes.added(transaction, person, { factorId, kind: this.kind });
        return { amr: methodsOf(passkey) };
      });
    } catch (error) {
      if (violatedUnique(error) !== "passkeys_credential") throw error;
      return { field: credentialField, text: "This passkey was added before" };
    }
  }
}

/** The name for a passkey whose person chose none. */
function nameOf({ transports, deviceBound }: NewPasskey): string {
  if (!deviceBound) return "Synced passkey";
  return transports.includes("internal") ? "This device" : "Security key";
}
