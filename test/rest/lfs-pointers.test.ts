import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cloneOf } from "../kit/clone.js";
import { executed } from "../kit/executions.js";
import { zipOf } from "../kit/nuget-packages.js";
import { aSmallPack } from "../kit/packs.js";
import { platform } from "../kit/platform.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d7a".repeat(16)}\nsize 12345\n`;
const document = `A pointer of Git LFS looks like this:\n\n${pointer}`;
const parameters = { name: "Acme.Shop" };

async function aPackage(files: Record<string, string>): Promise<string> {
  const content = Object.entries(files).map(([path, text]) => [`content/${path}`, text]);
  const path = join(platform().dataDir, `lfs-${Math.random().toString(36).slice(2)}.nupkg`);
  await writeFile(path, zipOf({ "Acme.nuspec": "<package/>", ...Object.fromEntries(content) }));
  return `nupkg+${pathToFileURL(path).href}`;
}

describe.each([
  ["a repository", aTemplateSource],
  ["a package", aPackage],
])("a template in %s", (_, publish) => {
  it("with a pointer of Git LFS fails its validation, its preview and its execution, and nothing is pushed", async () => {
    const token = await (await aTenant()).tokenWith();
    const source = await publish(aSmallPack({ files: { "Company.App1/logo.png": pointer } }));
    const version = await aTemplateVersion(token, source);
    const { templateId, templateVersionId } = version;
    const { body } = await request(`POST /v1/templates/${templateId}/validate`, { token, body: { templateVersionId } });
    expect(body).toMatchObject({
      outcome: "Failed",
      findings: [{ check: "StructuralLint", code: "LfsObjectMissing", path: "Company.App1/logo.png" }],
    });
    const refusal = {
      code: "SOURCE_UNSAFE",
      message: expect.stringContaining('"Acme.Shop/logo.png" is a pointer of Git LFS'),
      details: { paths: ["Acme.Shop/logo.png"] },
    };
    const target = { repository: `acme/lfs${Math.random().toString(36).slice(2)}` };
    const execution = await executed(token, version, { parameters, target });
    expect(execution).toMatchObject({ status: "Failed", output: null, error: refusal });
    const query = `query ($id: ID!, $input: RequestExecutionInput!) {
      previewExecution(templateId: $id, input: $input) { error { code message details } } }`;
    const variables = { id: templateId, input: { templateVersionId, parameters, target } };
    const preview = await graphql<{ previewExecution: unknown }>(query, { token, variables });
    expect(preview.body.data.previewExecution).toMatchObject({ error: refusal });
  });

  it("is executed when the pointer is left out, and when a document only quotes one", async () => {
    const token = await (await aTenant()).tokenWith();
    const files = { "Company.App1/logo.png": pointer, "Company.App1/lfs.md": document };
    const config = { sources: [{ exclude: ["**/*.png", ".template.config/**"] }] };
    const version = await aTemplateVersion(token, await publish(aSmallPack({ config, files })));
    const target = { repository: `acme/lfs${Math.random().toString(36).slice(2)}` };
    const { status, output, error } = await executed(token, version, { parameters, target });
    expect([status, error]).toEqual(["Completed", null]);
    const clone = await cloneOf(output?.repository ?? "", token);
    expect(clone.files).toContain("Acme.Shop/lfs.md");
    expect(await clone.read("Acme.Shop/lfs.md")).toBe(document);
    await clone.remove();
  });
});
