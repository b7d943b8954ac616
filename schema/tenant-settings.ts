import { authenticationLevels, satisfiesLevel } from "./authentication-levels.js";
import {
  allowsMore,
  type ChangeRule,
  everybody,
  higherIsWeaker,
  lowerIsWeaker,
  peopleAndServices,
} from "./setting-change-rules.js";
import type { SettingDefinition } from "./setting-definition.js";
import { limitKeyPrefix } from "./tenant-limits.js";
import {
  publishersWithApproval,
  publisherTypes,
  refusedSeverities,
  type SettingKey,
  severities,
  type TenantSettingValues,
} from "./tenant-setting-values.js";

/** A setting that tenants change by a configuration entry. */
export interface TenantSetting<Value> extends SettingDefinition<Value> {
  readonly change: ChangeRule<Value>;
}

type TenantSettings = { readonly [Key in SettingKey]: TenantSetting<TenantSettingValues[Key]> };

/** Without a password: `config.read` shows the value. A user name is for ssh only. */
const repositoryBasePattern = "^(?:(?:https|file)://[^\\s?#@]+|ssh://(?:[^\\s?#@:/]+@)?[^\\s?#@]+)$";

/** The form for the type that a vendor's event gets: two or more words in PascalCase. */
export const normalizedNamePattern = "^([A-Z][a-z0-9]+){2,}$";

/** The settings that the platform acts on. A tenant may store other keys too; they have no effect. */
export const tenantSettings: TenantSettings = {
  "governance.publish.requiresApproval": {
    schema: {
      anyOf: [
        { type: "boolean" },
        { type: "array", items: { enum: [...publisherTypes] }, uniqueItems: true, maxItems: 3 },
      ],
    },
    default: ["Agent"],
    description:
      "The types of principals that get the scopes templates.publish and libraries.publish only through an approval: Agent, User, Service. True means all of them, false none. Tokens that exist already keep their scopes until they expire.",
    setBy: "Tenant",
    change: {
      scopes: ["governance.approve"],
      by: peopleAndServices,
      weakening: {
        isWeaker: (next, present) =>
          publishersWithApproval(present).some((type) => !publishersWithApproval(next).includes(type)),
        level: null,
        secondPerson: true,
      },
    },
  },
  "governance.publish.scanSeverity": {
    schema: { enum: [...severities, null] },
    default: null,
    description:
      "Publishing a template version asks for a complete scan of its dependencies without findings of this severity or a higher one: Low, Moderate, High, Critical. A recalled version counts as High, and an advisory that states no severity as Critical. Null: no scan is needed.",
    setBy: "Tenant",
    change: {
      scopes: ["governance.approve"],
      by: peopleAndServices,
      weakening: {
        isWeaker: (next, present) => refusedSeverities(next) < refusedSeverities(present),
        level: null,
        secondPerson: true,
      },
    },
  },
  "governance.approve.acr": {
    schema: { enum: [...authenticationLevels, null] },
    default: null,
    description:
      "The level (acr) of the sign-in that a person needs to decide an approval: urn:factory:acr:second-factor or urn:factory:acr:phishing-resistant. Null: a password is enough.",
    setBy: "Tenant",
    change: {
      scopes: ["governance.approve"],
      by: peopleAndServices,
      weakening: {
        isWeaker: (next, present) => present !== null && (next === null || !satisfiesLevel(next, present)),
        level: null,
        secondPerson: true,
      },
    },
  },
  "governance.allowPlatformClients": {
    schema: { type: "boolean" },
    default: true,
    description:
      "Whether a platform administrator may create API clients in the tenant. False acts once the first owner of the tenant has joined; clients that exist stay until they are disabled.",
    setBy: "Tenant",
    change: {
      scopes: ["governance.approve"],
      by: peopleAndServices,
      weakening: { isWeaker: (next, present) => next && !present, level: null, secondPerson: false },
    },
  },
  "execution.requirePublished": {
    schema: { type: "boolean" },
    default: false,
    description: "Whether only published template versions may be executed.",
    setBy: "Tenant",
    change: {
      scopes: [],
      by: peopleAndServices,
      weakening: { isWeaker: (next, present) => present && !next, level: null, secondPerson: true },
    },
  },
  "execution.requireCompatible": {
    schema: { type: "boolean" },
    default: false,
    description: "Whether an execution is refused when its libraries are not compatible.",
    setBy: "Tenant",
    change: { scopes: [], by: peopleAndServices },
  },
  "scaffold.repositoryBase": {
    schema: {
      anyOf: [{ type: "string", format: "iri", pattern: repositoryBasePattern, maxLength: 2048 }, { type: "null" }],
    },
    default: null,
    description:
      "The git URL that stands before a target repository of the form owner/name, without a password. Null: the git store of the platform.",
    setBy: "Tenant",
    change: { scopes: [], by: peopleAndServices },
  },
  "compatibility.unknownLibraries": {
    schema: { enum: ["advisory", "violation"] },
    default: "advisory",
    description: "Whether a library that the catalog does not have is an advisory or a violation of an evaluation.",
    setBy: "Tenant",
    change: { scopes: [], by: peopleAndServices },
  },
  "signIn.passwordMinLength": {
    schema: { type: "integer", minimum: 8, maximum: 128 },
    default: 8,
    description: "The smallest number of characters of a new password. Existing passwords stay valid.",
    setBy: "Tenant",
    change: {
      scopes: [],
      by: peopleAndServices,
      weakening: { isWeaker: lowerIsWeaker, level: null, secondPerson: false },
    },
  },
  "signIn.sessionHours": {
    schema: { type: "integer", minimum: 1, maximum: 720 },
    default: 720,
    description:
      "After this number of hours since the sign-in, a user has to sign in again: sessions and refresh tokens end.",
    setBy: "Tenant",
    change: {
      scopes: [],
      by: peopleAndServices,
      weakening: { isWeaker: higherIsWeaker, level: null, secondPerson: false },
    },
  },
  "signIn.allowedEmailDomains": {
    schema: {
      type: "array",
      items: { type: "string", format: "idn-hostname", maxLength: 253 },
      uniqueItems: true,
      maxItems: 100,
    },
    default: [],
    description:
      "The domains of the e-mail addresses that may be invited. An international domain is stored in ASCII. Subdomains are not included. Empty: all domains.",
    setBy: "Tenant",
    change: {
      scopes: [],
      by: peopleAndServices,
      weakening: { isWeaker: allowsMore, level: null, secondPerson: false },
    },
  },
  "signIn.secondFactor": {
    schema: { enum: ["optional", "required"] },
    default: "optional",
    description:
      "Whether every user needs a second factor. With required, a user without one sets it up at the next sign-in, sessions and refresh tokens without a second factor end, and the password grant is refused.",
    setBy: "Tenant",
    change: {
      scopes: [],
      by: peopleAndServices,
      weakening: {
        isWeaker: (next, present) => present === "required" && next !== "required",
        level: "urn:factory:acr:second-factor",
        secondPerson: true,
      },
    },
  },
  "retention.auditLogDays": {
    schema: { type: "integer", minimum: 30, maximum: 3650 },
    default: 365,
    description: "How many days the records of the audit log are kept.",
    setBy: "Tenant",
    change: {
      scopes: [],
      by: peopleAndServices,
      weakening: { isWeaker: lowerIsWeaker, level: null, secondPerson: true },
    },
  },
  "retention.webhookDays": {
    schema: { anyOf: [{ type: "integer", minimum: 1, maximum: 3650 }, { type: "null" }] },
    default: null,
    description:
      "How many days ended webhook messages and their attempts are kept, if that is less than the period of the platform. Null: the period of the platform.",
    setBy: "Tenant",
    change: { scopes: [], by: peopleAndServices },
  },
  "webhooks.eventNames": {
    schema: {
      type: "object",
      maxProperties: 200,
      propertyNames: { pattern: "^[a-z0-9][a-z0-9-]{0,62}/.{1,200}$" },
      additionalProperties: { type: "string", maxLength: 100, pattern: normalizedNamePattern },
    },
    default: {},
    description:
      'The event types for events of vendors, in place of those of the platform: {"<provider key>/<event name of the vendor>": "DoorOpened"}. The name may have the action after a dot; without it, it stands for the actions that do not say something else, and for no deletion. A type is two or more words in PascalCase. A type of the platform itself gets the prefix Vendor.',
    setBy: "Tenant",
    change: { scopes: [], by: everybody },
  },
  "webhooks.unmappedDeliveries": {
    schema: { enum: ["publish", "ignore"] },
    default: "publish",
    description:
      "Whether a delivery of a vendor whose event name is not mapped becomes an event VendorEventReceived, or is ignored.",
    setBy: "Tenant",
    change: { scopes: [], by: peopleAndServices },
  },
  "models.contentDays": {
    schema: { anyOf: [{ type: "integer", minimum: 1, maximum: 365 }, { type: "null" }] },
    default: null,
    description:
      "How many days the prompts and the answers of language models are kept, sealed. The query modelContent shows those of a run to the caller of the model and to holders of the scope audit.read. Null: they are not kept.",
    setBy: "Tenant",
    change: { scopes: [], by: peopleAndServices },
  },
  "models.budgets": {
    schema: {
      type: "object",
      maxProperties: 100,
      propertyNames: { minLength: 1, maxLength: 200 },
      additionalProperties: {
        type: "object",
        required: ["perSeconds"],
        additionalProperties: false,
        properties: {
          requests: { type: "integer", minimum: 1, maximum: 1_000_000_000 },
          tokens: { type: "integer", minimum: 1, maximum: 1_000_000_000_000 },
          perSeconds: { type: "integer", minimum: 1, maximum: 2_678_400 },
        },
      },
    },
    default: { "*": { requests: 6000, tokens: 10_000_000, perSeconds: 60 } },
    description:
      'How many requests and tokens a model may use: {"<model>": {"requests": 100, "tokens": 200000, "perSeconds": 60}}. Everything that is used comes back evenly over the period. All models without an entry of their own share the entry *; without it they have no budget.',
    setBy: "Tenant",
    change: { scopes: [], by: peopleAndServices },
  },
  "notifications.locale": {
    schema: { type: "string", maxLength: 35, pattern: "^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*$" },
    default: "en",
    description:
      "The language (BCP 47) of notifications that name none, or one that a template does not have. English is the last resort.",
    setBy: "Tenant",
    change: { scopes: [], by: everybody },
  },
  "notifications.perRecipientHour": {
    schema: {
      type: "object",
      additionalProperties: false,
      properties: {
        Email: { type: "integer", minimum: 1, maximum: 1000 },
        Sms: { type: "integer", minimum: 1, maximum: 1000 },
      },
    },
    default: { Email: 60, Sms: 20 },
    description:
      "How many messages of a channel one recipient gets in an hour. Further ones wait, for up to three days. A channel without a value has no limit, except that the mail server of the platform sends at most 60 mails in an hour to one recipient.",
    setBy: "Tenant",
    change: { scopes: [], by: peopleAndServices },
  },
};

/** Whether the platform acts on this configuration key. */
export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(tenantSettings, key);

/** The value that holds for a tenant without an entry under this key. */
export const settingDefault = <Key extends SettingKey>(key: Key): TenantSettingValues[Key] =>
  tenantSettings[key].default;

/**
 * The known keys' first words: `governance`, `signIn` and so on. A later release may give other such keys a meaning.
 */
export const settingGroups: ReadonlySet<string> = new Set(
  [...Object.keys(tenantSettings), limitKeyPrefix].map((key) => key.split(".")[0] ?? ""),
);
