import { anEntry } from "@factory/test/kit/configuration";
import { aFlag } from "@factory/test/kit/feature-flags";
import { aLibrary, versionMutation } from "@factory/test/kit/libraries";
import { aNotificationTemplate } from "@factory/test/kit/notifications";
import { aProvider } from "@factory/test/kit/providers";
import { aClientId, aRole } from "@factory/test/kit/roles";
import { aTemplateVersion } from "@factory/test/kit/templates";
import { aUser } from "@factory/test/kit/users";
import type { Caller } from "./caller.ts";

/** A list, a mutation that changes one of its objects, and the words that the list has of that object afterwards. */
interface Change {
  readonly list: string;
  readonly mutation: string;
  /** A part of the list as JSON, which it has after the mutation only. */
  readonly changed: string;
  /** Creates the object, and returns what names it in the mutation. */
  readonly made: (token: string) => Promise<string>;
}

/** No template is fetched from here. */
const source = "git+https://127.0.0.1:9/template.git#main";

/** Objects of all three subgraphs: some known by their id, some by a key, some in the payload of the mutation. */
const changes = {
  template: {
    list: "templates { edges { node { id description } } }",
    mutation: 'updateTemplate(templateId: $id, input: { description: "Changed" }) { id description }',
    changed: '"description":"Changed"',
    made: async (token) => (await aTemplateVersion(token, source)).templateId,
  },
  templateVersion: {
    list: "nodes(ids: [$id]) { id ... on TemplateVersion { changelog } }",
    mutation: `replaceTemplateVersion(templateVersionId: $id, input: {
      semanticVersion: "1.0.1", sourceRef: "${source}", engineKind: DotnetNewTemplatePack, targetFramework: "net8.0", changelog: "Changed"
    }) { id changelog }`,
    changed: '"changelog":"Changed"',
    made: async (token) => (await aTemplateVersion(token, source)).templateVersionId,
  },
  libraryVersion: {
    list: "libraries { edges { node { id versions { items { id status } } } } }",
    mutation: "deprecateLibraryVersion(libraryVersionId: $id, input: { reason: Legacy }) { id status }",
    changed: '"status":"Deprecated"',
    made: async (token) => {
      const library = await aLibrary(token);
      const registration = `registerLibraryVersion(libraryId: "${library}", input: { semanticVersion: "1.0.0" })`;
      return String((await versionMutation(token, registration))["libraryVersionId"]);
    },
  },
  provider: {
    list: "providers { edges { node { id status } } }",
    mutation: "disableProvider(providerId: $id) { id status }",
    changed: '"status":"Disabled"',
    made: aProvider,
  },
  user: {
    list: "users { edges { node { id status } } }",
    mutation: "disableUser(userId: $id) { id status }",
    changed: '"status":"Disabled"',
    made: async (token) => (await aUser(token)).userId,
  },
  deletedUser: {
    list: "users { edges { node { id status } } }",
    mutation: "deleteUser(userId: $id) { user { id status } }",
    changed: '"status":"Deleted"',
    made: async (token) => (await aUser(token)).userId,
  },
  apiClient: {
    list: "apiClients { edges { node { id name } } }",
    mutation: 'updateApiClient(clientId: $id, input: { name: "Changed" }) { id name }',
    changed: '"name":"Changed"',
    made: aClientId,
  },
  role: {
    list: "roles { edges { node { id description } } }",
    mutation: 'updateRole(roleId: $id, input: { description: "Changed" }) { id description }',
    changed: '"description":"Changed"',
    made: aRole,
  },
  featureFlag: {
    list: "featureFlags { edges { node { id enabled } } }",
    mutation: "setFeatureFlag(key: $id, input: { enabled: false }) { flag { id enabled } }",
    changed: '"enabled":false',
    made: (token) => aFlag(token, "changed-by-clients"),
  },
  configEntry: {
    list: "configEntries { edges { node { id value } } }",
    mutation: 'setConfigEntry(key: $id, input: { value: "Changed" }) { entry { id value } }',
    changed: '"value":"Changed"',
    made: (token) => anEntry(token, "changed.by.clients"),
  },
  notificationTemplate: {
    list: "notificationTemplates { edges { node { id version } } }",
    mutation: `setNotificationTemplate(key: $id, input: {
      texts: [{ locale: "en", subject: "Changed", paragraphs: ["Text"] }]
    }) { template { id version } }`,
    changed: '"version":2',
    made: (token) => aNotificationTemplate(token, "changed-by-clients"),
  },
} as const satisfies Record<string, Change>;

type Kind = keyof typeof changes;

export const kinds = Object.keys(changes) as Kind[];

/** The documents of a change. The compiler of Relay wants names that begin with the name of the module. */
export function documentsOf(kind: Kind) {
  const { list, mutation } = changes[kind];
  return {
    list: `query changes_${kind}Query${list.includes("$id") ? "($id: ID!)" : ""} { ${list} }`,
    mutation: `mutation changes_${kind}Mutation($id: ID!) { ${mutation} }`,
  };
}

/** Creates an object of this kind. */
export async function anObject({ token }: Caller, kind: Kind) {
  const { list, made } = changes[kind];
  const id = await made(token);
  return { id, listVariables: list.includes("$id") ? { id } : {} };
}

/** Whether the list shows the object as the mutation left it. */
export const showsChange = (kind: Kind, list: unknown) => JSON.stringify(list).includes(changes[kind].changed);
