/** How a new SECRETS_KEY affects the values under one key. */
export interface KeyPurpose {
  readonly protects: string;
  /**
   * `Stored`: the platform stores the values, and `npm run rewrap` writes them again under the new key; a module lists
   * their table in `sealedTables`. A number: callers hold the values, or the platform compares them, for at most so many
   * days; until then the former key must stay in SECRETS_KEY_PREVIOUS.
   */
  readonly afterChange: "Stored" | number;
}

/**
 * Purposes for derived keys. The label is HKDF's `info` and must never change, since values are sealed with the key.
 * All labels stand here so that no two purposes share a key. A new label begins with `factory`, the subgraph's name and
 * the purpose.
 */
export const keyPurposes = {
  "factory database role passwords": {
    protects: "the secret of the passwords of database roles",
    afterChange: "Stored",
  },
  "factory grpc authority": { protects: "the key of the certificate authority of gRPC", afterChange: "Stored" },
  "factory catalog list cursors": { protects: "cursors of the catalog's lists", afterChange: 7 },
  "list cursors": { protects: "cursors of integration's lists", afterChange: 7 },
  "credential key wrapping": { protects: "secrets of credentials", afterChange: "Stored" },
  "credential digest": { protects: "secrets in the requests that are compared for 24 hours", afterChange: 1 },
  "factory integration webhook deliveries": { protects: "payloads of received webhooks", afterChange: "Stored" },
  "factory integration connection tokens": { protects: "access and refresh tokens of vendors", afterChange: "Stored" },
  "factory integration vendor commands": { protects: "data of commands to vendors", afterChange: "Stored" },
  "factory integration model contents": { protects: "prompts and answers of models", afterChange: "Stored" },
  "factory integration authorization states": { protects: "states of authorizations at vendors", afterChange: 1 },
  "factory spine list cursors": { protects: "cursors of the spine's lists", afterChange: 7 },
  "factory spine client secrets": { protects: "secrets of API clients that are shown again", afterChange: "Stored" },
  "factory spine signing keys": { protects: "keys that sign access tokens", afterChange: "Stored" },
  "factory spine audit keys": { protects: "keys that sign the audit log", afterChange: "Stored" },
  "factory spine refresh tokens": { protects: "the successor of each refresh token", afterChange: 1 },
  "factory spine cookies": { protects: "cookies of sign-ins", afterChange: 7 },
  "factory spine forms": { protects: "forms of the sign-in pages", afterChange: 7 },
  "factory spine invitation tokens": { protects: "links of invitations in mail", afterChange: "Stored" },
  "factory spine password resets": { protects: "links in mails that reset a password", afterChange: 1 },
  "factory spine second factors": { protects: "secrets of authenticator apps", afterChange: "Stored" },
  "factory spine second factor locks": { protects: "links in mails that unlock second factors", afterChange: 1 },
  "factory spine configuration": { protects: "secret configuration", afterChange: "Stored" },
  "factory spine configuration digest": {
    protects: "secret configuration in the requests that are compared for 24 hours",
    afterChange: 1,
  },
  "factory spine unsubscribe links": { protects: "links in mails by which recipients unsubscribe", afterChange: 90 },
  "factory spine flag stream tickets": { protects: "addresses of event streams of feature flags", afterChange: 1 },
} as const satisfies Readonly<Record<string, KeyPurpose>>;

/** A derived key's label, one for each purpose. */
export type KeyLabel = keyof typeof keyPurposes;
