import type { Principal } from "@factory/runtime/auth/principal";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { EmbeddedSecretStore } from "./embedded-secret-store.js";

let fixture: IntegrationFixture;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ masterKeys: someMasterKeys(1) });
});

afterAll(() => fixture.close());

const create = (principal = aPrincipal(), name = "vendor") =>
  fixture.run(
    principal,
    "mutation ($i: CreateCredentialInput!) { createCredential(input: $i) { credentialId } }",
    { i: { name, kind: "ApiKey", secret: { apiKey: `key of ${name}` } } },
    `once-${name}`,
  );

const rotate = (principal: Principal, credentialId: string) =>
  fixture.run(
    principal,
    "mutation ($i: RotateCredentialInput!) { rotateCredential(input: $i) { newVersionRef verificationRunId } }",
    { i: { credentialId, secret: { apiKey: "another" } } },
    "once",
  );

const keyIds = () =>
  fixture.rows<{ key_id: string; count: number }>(
    "select key_id, count(*)::int as count from integration.credential_versions group by key_id order by 2",
  );

describe("a new master key", () => {
  it("rewraps the credentials of all tenants at the start, past one that is damaged, so that the former can go", async () => {
    const principal = aPrincipal();
    const first = await create(principal);
    for (let place = 0; place < 120; place += 1) await create(principal, `vendor-${place}`);
    const others = [aPrincipal(), aPrincipal()];
    const [other = aPrincipal()] = others;
    const ofOthers = await Promise.all(others.map((principal) => create(principal)));
    const rotatedId = String(ofOthers[0]?.data.createCredential.credentialId);
    const rotation = await rotate(other, rotatedId);
    expect(rotation.errors).toBeUndefined();
    await create(aPrincipal(), "damaged");
    await fixture.rows(
      `update integration.credential_versions set wrapped_key = set_byte(wrapped_key, 40, get_byte(wrapped_key, 40) # 1)
       where credential_id = (select credential_id from integration.credentials where name = 'damaged')`,
    );
    const [former] = await keyIds();
    await fixture.restart(undefined, { masterKeys: someMasterKeys(2, 1) });
    const counts = await eventually(async () => {
      const [formerKey, newKey] = await keyIds();
      return formerKey?.key_id === former?.key_id && newKey?.count === 124
        ? [formerKey?.count, newKey?.count]
        : undefined;
    });
    expect(counts).toEqual([1, 124]);
    // a repeat is still recognized by its secret's digest
    expect(await create(principal)).toEqual(first);
    expect(await rotate(other, rotatedId)).toEqual(rotation);
    await fixture.restart(undefined, { masterKeys: someMasterKeys(2) });
    const [row] = await fixture.rows<{ id: string; key_id: string; wrapped_key: Buffer; ciphertext: Buffer }>(
      `select credential_id as id, version.* from integration.credential_versions version
       join integration.credentials using (tenant_id, credential_id) where name = 'vendor-7'`,
    );
    if (!row) throw new Error("The credential is gone");
    const owner = { tenantId: principal.tenantId ?? "", credentialId: encodeId("crd", row.id), version: 1 };
    const sealedSecret = { keyId: row.key_id, wrappedKey: row.wrapped_key, ciphertext: row.ciphertext };
    expect(await new EmbeddedSecretStore(someMasterKeys(2)).open(owner, sealedSecret)).toEqual({
      apiKey: "key of vendor-7",
    });
  });
});
