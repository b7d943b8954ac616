import { isDeepStrictEqual } from "node:util";
import type { Principal } from "@factory/runtime/auth/principal";
import type { Scope } from "@factory/schema/scopes";
import type { SettingKey, TenantSettingValues } from "@factory/schema/tenant-setting-values";
import { settingDefault, tenantSettings } from "@factory/schema/tenant-settings";
import { type Answer, type Json, principal, RunningSpine, signedIn } from "../running-spine.fixture.js";
import { setByTwo } from "./two-people.fixture.js";

let platform: RunningSpine;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.shared();
  tenantId = await platform.activeTenant("protected");
});
afterAll(() => platform?.stop());

/** Another value for each setting. Where a setting protects something, it protects more than the default. */
const stricter: TenantSettingValues = {
  "governance.publish.requiresApproval": true,
  "governance.publish.scanSeverity": "High",
  "governance.approve.acr": "urn:factory:acr:second-factor",
  "governance.allowPlatformClients": false,
  "execution.requirePublished": true,
  "execution.requireCompatible": true,
  "scaffold.repositoryBase": "https://git.example/acme",
  "compatibility.unknownLibraries": "violation",
  "signIn.passwordMinLength": 14,
  "signIn.sessionHours": 8,
  "signIn.allowedEmailDomains": ["acme.example"],
  "signIn.secondFactor": "required",
  "retention.auditLogDays": 400,
  "retention.webhookDays": 3,
  "webhooks.eventNames": { "github/push": "CodePushed" },
  "webhooks.unmappedDeliveries": "ignore",
  "models.contentDays": 7,
  "models.budgets": {},
  "notifications.locale": "de",
  "notifications.perRecipientHour": { Email: 1 },
};
const keys = Object.keys(tenantSettings) as SettingKey[];

const needSecondPerson: readonly SettingKey[] = [
  "governance.publish.requiresApproval",
  "governance.publish.scanSeverity",
  "governance.approve.acr",
  "execution.requirePublished",
  "signIn.secondFactor",
  "retention.auditLogDays",
];
const needRecentSignIn: readonly SettingKey[] = [
  ...needSecondPerson,
  "governance.allowPlatformClients",
  "signIn.passwordMinLength",
  "signIn.sessionHours",
  "signIn.allowedEmailDomains",
];
const needApprovingScope: readonly SettingKey[] = keys.filter((key) => key.startsWith("governance."));
const needSecondFactor: readonly SettingKey[] = ["governance.approve.acr", "signIn.secondFactor"];
const openToAgents: readonly SettingKey[] = ["webhooks.eventNames", "notifications.locale"];

const manage: readonly Scope[] = ["config.read", "config.manage"];
const all: readonly Scope[] = [...manage, "governance.approve"];
const person = (changes: Partial<Principal> = {}) => signedIn(tenantId, all, changes);

const entry = "{ value version approvalId }";
const change = (by: Principal, key: string, value: unknown): Promise<Answer> =>
  platform.ask(
    by,
    `mutation ($key: ID!, $input: SetConfigurationInput!) { entry: setConfigEntry(key: $key, input: $input) ${entry} }`,
    { key, input: { value } },
  );

async function inForce(key: SettingKey): Promise<unknown> {
  const { data } = await platform.ask(person(), "{ knownSettings { key value } }");
  return data?.["knownSettings"].find((setting: Json) => setting.key === key)?.value;
}

/** The entry's last version whose value is the setting's default. */
async function versionOfDefault(key: SettingKey): Promise<number> {
  const query = "query ($key: ID!) { configEntryHistory(key: $key) { items { version change value } } }";
  const { data } = await platform.ask(person(), query, { key });
  const items: Json[] = data?.["configEntryHistory"].items;
  const hasDefault = (item: Json) => item.change !== "Deleted" && isDeepStrictEqual(item.value, settingDefault(key));
  return items.find(hasDefault).version;
}

/** Every way to bring back the default, which is the weaker value. */
const ways: Record<string, (by: Principal, key: SettingKey) => Promise<Answer>> = {
  set: (by, key) => change(by, key, settingDefault(key)),
  delete: (by, key) =>
    platform.ask(by, `mutation ($key: ID!) { entry: deleteConfigEntry(key: $key) ${entry} }`, { key }),
  restore: async (by, key) =>
    platform.ask(
      by,
      `mutation ($key: ID!, $version: Int!) { entry: restoreConfigEntry(key: $key, version: $version) ${entry} }`,
      { key, version: await versionOfDefault(key) },
    ),
};

/** Callers that may change the setting in general, but lack what its weaker value needs. */
const lacking: Record<string, { by: () => Principal; refusal: (key: SettingKey) => string | undefined }> = {
  "a person without config.manage": {
    by: () => signedIn(tenantId, ["config.read", "governance.approve"]),
    refusal: () => "INSUFFICIENT_SCOPE",
  },
  "a person without governance.approve": {
    by: () => signedIn(tenantId, manage),
    refusal: (key) => (needApprovingScope.includes(key) ? "INSUFFICIENT_SCOPE" : undefined),
  },
  "an agent": {
    by: () => ({ ...principal(tenantId, all), principalType: "Agent" }),
    refusal: (key) => (openToAgents.includes(key) ? undefined : "SELF_APPROVAL"),
  },
  "an agent that acts for a person": {
    by: () => person({ actors: ["cli_agent"] }),
    refusal: (key) => (openToAgents.includes(key) ? undefined : "SELF_APPROVAL"),
  },
  "a service": {
    by: () => principal(tenantId, all),
    refusal: (key) => (needRecentSignIn.includes(key) ? "PERSON_REQUIRED" : undefined),
  },
  "a person whose sign-in is an hour old": {
    by: () => person({ authTime: Math.floor(Date.now() / 1000) - 3600 }),
    refusal: (key) => (needRecentSignIn.includes(key) ? "AUTHENTICATION_TOO_OLD" : undefined),
  },
  "a person at a client of a third party": {
    by: () => person({ firstParty: undefined }),
    refusal: (key) => (needRecentSignIn.includes(key) ? "FIRST_PARTY_CLIENT_REQUIRED" : undefined),
  },
  "a person with a password alone": {
    by: () => person({ acr: "urn:factory:acr:password" }),
    refusal: (key) => (needSecondFactor.includes(key) ? "AUTHENTICATION_TOO_WEAK" : undefined),
  },
};

describe.each(keys)("the setting %s", (key) => {
  /** A stricter value acts at once, by every caller type that may change the setting at all. */
  async function strict(by = person()): Promise<void> {
    const { data, refusal } = await change(by, key, stricter[key]);
    expect([refusal, data?.["entry"].approvalId]).toEqual([undefined, null]);
    expect(await inForce(key)).toEqual(stricter[key]);
  }

  beforeAll(async () => {
    expect((await change(person(), key, settingDefault(key))).errors).toEqual([]);
  });
  afterAll(() => setByTwo(platform, tenantId, key, settingDefault(key)));

  it("has its stricter value at once, also by a service", async () => {
    await strict(principal(tenantId, all));
  });

  it.each(Object.entries(lacking))("is not weakened by %s, in any way", async (_, { by, refusal: expectedCode }) => {
    for (const [way, weaken] of Object.entries(ways)) {
      await strict();
      const { refusal, data } = await weaken(by(), key);
      const code = expectedCode(key);
      expect([way, refusal?.["code"]]).toEqual([way, code]);
      const waits = code === undefined && needSecondPerson.includes(key);
      if (code === undefined) expect(data?.["entry"].approvalId !== null).toBe(waits);
      const value = code !== undefined || waits ? stricter[key] : settingDefault(key);
      expect([way, await inForce(key)]).toEqual([way, value]);
    }
  });

  it("is weakened by a person with a recent sign-in only after the approval of another person, where it has to be", async () => {
    for (const [way, weaken] of Object.entries(ways)) {
      await strict();
      const { data, errors } = await weaken(person(), key);
      expect([way, errors]).toEqual([way, []]);
      const { approvalId } = data?.["entry"] ?? {};
      expect([way, approvalId !== null]).toEqual([way, needSecondPerson.includes(key)]);
      if (approvalId === null) continue;
      expect(await inForce(key)).toEqual(stricter[key]);
      const approve = `mutation { approveScopes(approvalId: "${approvalId}") { status } }`;
      expect((await platform.ask(person(), approve)).data?.["approveScopes"]).toEqual({ status: "Approved" });
      expect([way, await inForce(key)]).toEqual([way, settingDefault(key)]);
    }
  });
});

describe("a key that no setting has", () => {
  const agent = () => ({ ...principal(tenantId, all), principalType: "Agent" as const });

  it.each(["governance.later", "governance", "signIn.later", "execution.x", "scaffold.x.y", "webhooks.x", "models.x"])(
    "is not set by an agent where a later release may act on it: %s",
    async (key) => {
      expect((await change(agent(), key, 1)).refusal).toMatchObject({ code: "SELF_APPROVAL" });
      expect((await change(principal(tenantId, manage), key, 1)).errors).toEqual([]);
    },
  );

  it.each(["billing.plan", "governanceNotes", "my.governance.note", "executions.x"])(
    "is free for agents elsewhere: %s",
    async (key) => {
      expect((await change(agent(), key, 1)).errors).toEqual([]);
    },
  );
});
