import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Pool } from "pg";
import { EmbeddedSecretStore } from "../../credentials/credentials/embedded-secret-store.js";
import type { Candidate } from "./candidate.js";
import { OpenSecrets } from "./open-secrets.js";

const store = new EmbeddedSecretStore(someMasterKeys(1));
const strange = new EmbeddedSecretStore(someMasterKeys(2));

async function aCredential(text: string, sealedBy = store) {
  const [tenantId, credentialId] = [newId("ten"), newId("crd")];
  const tenant = tenantWithId(tenantId);
  const credential = decodeId("crd", credentialId) ?? "";
  const sealedSecret = await sealedBy.seal({ tenantId, credentialId, version: 1 }, { signingSecret: text });
  const ids = { tenant_id: tenant.uuid, credential_id: credential, version: 1 };
  const { keyId, wrappedKey, ciphertext } = sealedSecret;
  const row = { ...ids, stage: "Current", grace_ends_at: null, key_id: keyId, wrapped_key: wrappedKey, ciphertext };
  return { row, candidate: { tenant, credential } as Candidate, name: `${tenant.uuid} ${credential}` };
}

/** The secrets over a database that answers when `answer` is called. */
async function secretsOf(credentials: readonly Awaited<ReturnType<typeof aCredential>>[]) {
  const waiting: (() => void)[] = [];
  const queries: string[][] = [];
  const query = async (_: string, [, ids]: [string[], string[]]) => {
    queries.push(ids);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { rows: credentials.map(({ row }) => row).filter((row) => ids.includes(row.credential_id)) };
  };
  const secrets = new OpenSecrets({ workers: { query } as unknown as Pool, store, clock: () => new Date() });
  let notice = (_payload?: string): void => undefined;
  await secrets.listen({ on: async (_channel, wake) => void (notice = wake) });
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { secrets, asked: queries, answer, notice: (payload?: string) => notice(payload) };
}

it("requests at the same time share one read, and later ones read nothing", async () => {
  const both = [await aCredential("one"), await aCredential("two")];
  const [first, second] = both.map(({ candidate }) => candidate) as [Candidate, Candidate];
  const { secrets, asked, answer } = await secretsOf(both);
  const reads = [secrets.of([first, first]), secrets.of([first, second]), secrets.of([second])];
  answer();
  const texts = (await Promise.all(reads)).map((secretLists) =>
    secretLists.map(([secret]) => secret && "text" in secret && secret.text),
  );
  expect(texts).toEqual([["one", "one"], ["one", "two"], ["two"]]);
  await secrets.of([first, second]);
  expect(asked).toEqual([[first.credential], [second.credential]]);
});

it("a change of a credential during its read keeps only the others", async () => {
  const both = [await aCredential("one"), await aCredential("two")];
  const [first, second] = both.map(({ candidate }) => candidate) as [Candidate, Candidate];
  const { secrets, asked, answer, notice } = await secretsOf(both);
  const firstRead = secrets.of([first, second]);
  notice(both[0]?.name);
  answer();
  await firstRead;
  const again = secrets.of([first, second]);
  answer();
  await again;
  expect(asked).toEqual([[first.credential, second.credential], [first.credential]]);
});

it("a failed read is not kept", async () => {
  const secrets = new OpenSecrets({
    workers: { query: async () => Promise.reject(new Error("no answer")) } as unknown as Pool,
    ...{ store, clock: () => new Date() },
  });
  const { candidate } = await aCredential("one");
  for (let count = 0; count < 2; count += 1) await expect(secrets.of([candidate])).rejects.toThrow("no answer");
});

it("tells of a secret whose key this process does not have, and reads it again", async () => {
  const credential = await aCredential("one", strange);
  const { secrets, asked, answer } = await secretsOf([credential]);
  for (let count = 1; count <= 2; count += 1) {
    const reading = secrets.of([credential.candidate]);
    answer();
    expect(await reading).toEqual([[{ isSealed: true }]]);
    expect(asked).toHaveLength(count);
  }
});

it("a damaged secret verifies nothing", async () => {
  const credential = await aCredential("one");
  credential.row.ciphertext = Buffer.from("damaged");
  const { secrets, answer } = await secretsOf([credential]);
  const reading = secrets.of([credential.candidate]);
  answer();
  expect(await reading).toEqual([[]]);
});
