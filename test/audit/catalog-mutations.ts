import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { executed } from "../kit/executions.js";
import { aFailedJob } from "../kit/failed-jobs.js";
import { aLibrary, aPackageName, versionMutation } from "../kit/libraries.js";
import { aPackage } from "../kit/nuget-packages.js";
import { graphql, request } from "../kit/request.js";
import { aSilentHost } from "../kit/silent-host.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { type Prepare, unique, type World } from "./mutation-world.js";

async function aVersion({ token }: World, source?: string) {
  return aTemplateVersion(token, source ?? (await aTemplateSource()));
}

async function aCheckedVersion(world: World) {
  const version = await aVersion(world);
  const body = { templateVersionId: version.templateVersionId };
  await request(`POST /v1/templates/${version.templateId}/validate`, { token: world.token, body });
  return body;
}

async function aLibraryVersion({ token }: World, ...moves: string[]) {
  const libraryId = await aLibrary(token);
  const input = `{ semanticVersion: "1.0.0", publish: false }`;
  const registration = await versionMutation(
    token,
    `registerLibraryVersion(libraryId: "${libraryId}", input: ${input})`,
  );
  const libraryVersionId = String(registration["libraryVersionId"]);
  for (const move of moves)
    await versionMutation(token, `${move}(libraryVersionId: "${libraryVersionId}"${inputs[move] ?? ""})`);
  return { libraryVersionId };
}
const inputs: Record<string, string> = { deprecateLibraryVersion: `, input: { reason: Legacy }` };

/** An execution that fetches its source without end. */
async function aRunningExecution(world: World) {
  const host = await aSilentHost();
  world.onEnd(() => host.close());
  const { templateId, templateVersionId } = await aVersion(world, `git+${host.url}/acme/never.git#main`);
  const body = { templateVersionId, target: { repository: `acme/${unique()}` } };
  const { executionId } = (await request(`POST /v1/templates/${templateId}/execute`, { token: world.token, body }))
    .body;
  return { executionId: String(executionId) };
}

async function aFailedExecution(world: World) {
  const version = await aVersion(world, "stored://nowhere");
  const { executionId } = await executed(world.token, version, { target: { repository: `acme/${unique()}` } });
  return { executionId };
}

/** An advisory in OSV format. */
const anAdvisory = () => ({
  id: unique(),
  modified: "2026-01-31T12:00:00Z",
  affected: [{ package: { ecosystem: "NuGet", name: aPackageName() }, versions: ["1.0.0"] }],
});

/** Serves a package, and returns its source. */
async function aPackageSource({ onEnd }: World): Promise<string> {
  const id = aPackageName();
  const server = createServer((_, response) => void response.end(aPackage({ id, version: "1.0.0" })));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onEnd(() => server.close());
  return `nupkg+http://127.0.0.1:${(server.address() as AddressInfo).port}/${id}.1.0.0.nupkg`;
}

/** Arguments for the catalog's mutations. */
export const catalogMutations: Readonly<Record<string, Prepare>> = {
  archiveTemplate: async (world) => ({ templateId: (await aVersion(world)).templateId }),
  cancelExecution: aRunningExecution,
  changeLibraryCapabilities: async ({ token }) => ({
    libraryId: await aLibrary(token),
    input: { set: [{ name: "orders.publish" }] },
  }),
  createTemplateVersion: async (world) => ({
    templateId: (await aVersion(world)).templateId,
    input: {
      semanticVersion: "2.0.0",
      sourceRef: "stored://walked",
      engineKind: "DotnetNewTemplatePack",
      targetFramework: "net8.0",
    },
  }),
  deprecateLibraryVersion: async (world) => ({
    ...(await aLibraryVersion(world, "publishLibraryVersion")),
    input: { reason: "Legacy" },
  }),
  deleteTemplateVersion: async (world) => ({ templateVersionId: (await aVersion(world)).templateVersionId }),
  deprecateTemplateVersion: async (world) => {
    const version = await aCheckedVersion(world);
    await graphql("mutation ($id: ID!) { publishTemplateVersion(templateVersionId: $id) { status } }", {
      token: world.token,
      variables: { id: version.templateVersionId },
    });
    return { ...version, input: { reason: "Other" } };
  },
  evaluateLibraryCompatibility: () => ({ input: { runtime: "net8.0", libraries: [] } }),
  evaluateTemplateCompatibility: async (world) => {
    const { templateId, templateVersionId } = await aVersion(world);
    return { templateId, input: { templateVersionId, runtime: "net8.0", libraries: [] } };
  },
  deleteAdvisories: () => ({ input: { advisoryIds: [unique()] } }),
  importAdvisories: () => ({ input: { documents: [anAdvisory()] } }),
  importLibraryPackage: async (world) => ({ input: { sourceRef: await aPackageSource(world) } }),
  publishLibraryVersion: (world) => aLibraryVersion(world),
  publishTemplateVersion: aCheckedVersion,
  redriveCatalogJob: ({ tenant }) => aFailedJob("catalog", "import-package", tenant.tenantId),
  registerLibrary: () => ({ input: { packageName: aPackageName() } }),
  registerLibraryVersion: async ({ token }) => ({
    libraryId: await aLibrary(token),
    input: { semanticVersion: "2.0.0" },
  }),
  registerTemplate: () => ({ input: { name: unique(), category: "Service" } }),
  replaceTemplateVersion: async (world) => ({
    templateVersionId: (await aVersion(world)).templateVersionId,
    input: {
      semanticVersion: "1.0.1",
      sourceRef: "stored://nowhere",
      engineKind: "DotnetNewTemplatePack",
      targetFramework: "net8.0",
    },
  }),
  requestExecution: async (world) => {
    const { templateId, templateVersionId } = await aVersion(world);
    return { templateId, input: { templateVersionId, target: { repository: `acme/${unique()}` } } };
  },
  restoreTemplate: async (world) => {
    const { templateId } = await aVersion(world);
    await graphql("mutation ($id: ID!) { archiveTemplate(templateId: $id) { status } }", {
      token: world.token,
      variables: { id: templateId },
    });
    return { templateId };
  },
  retireLibraryVersion: async (world) => ({
    ...(await aLibraryVersion(world, "publishLibraryVersion", "deprecateLibraryVersion")),
    input: { reason: "It leaks." },
  }),
  retryExecution: aFailedExecution,
  scanDependencies: () => ({
    input: { runtime: "net8.0", libraries: [{ packageName: aPackageName(), version: "1.0.0" }] },
  }),
  updateTemplate: async (world) => ({
    templateId: (await aVersion(world)).templateId,
    input: { description: "walked" },
  }),
  validateTemplateVersion: async (world) => {
    const { templateId, templateVersionId } = await aVersion(world);
    return { templateId, input: { templateVersionId } };
  },
};
