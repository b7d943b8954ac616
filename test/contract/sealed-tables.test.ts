import { catalogModules } from "@factory/catalog/modules";
import { integrationModules } from "@factory/integration/modules";
import { type KeyLabel, type KeyPurpose, keyPurposes } from "@factory/runtime/sealing/key-labels";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { spineModules } from "@factory/spine/modules";

const masterKeys = someMasterKeys(2, 1);
const modules = [...catalogModules, ...integrationModules, ...spineModules] as unknown as SliceModule<{
  masterKeys: typeof masterKeys;
}>[];
const tables = modules.flatMap((module) => module.sealedTables?.({ masterKeys }) ?? []);
const labels = Object.entries<KeyPurpose>(keyPurposes) as [KeyLabel, KeyPurpose][];

describe("the purposes of derived keys", () => {
  it("have a table that is sealed again, exactly where the platform stores their values", () => {
    const storedLabels = labels.flatMap(([label, { afterChange }]) => (afterChange === "Stored" ? [label] : []));
    expect([...new Set(tables.map(({ label }) => label))].toSorted()).toEqual(storedLabels.toSorted());
  });

  it.each(labels)("know the former key and write with the new one: %s", (label) => {
    const { all, newest } = masterKeys.keyring(label);
    const former = someMasterKeys(1).keyring(label).newest;
    expect(all.map(({ id }) => id)).toEqual([someMasterKeys(2).keyring(label).newest.id, former.id]);
    expect(newest.id).not.toBe(former.id);
    for (const { newestKeyId } of tables.filter((table) => table.label === label)) expect(newestKeyId).toBe(newest.id);
  });
});
