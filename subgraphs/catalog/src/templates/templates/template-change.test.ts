import type { Principal } from "@factory/runtime/auth/principal";
import { aTokenIssuer } from "@factory/runtime/auth/token-issuer.fixture";
import { aPrincipal, type CatalogFixture, startCatalogFixture } from "../../catalog.fixture.js";

const tokens = await aTokenIssuer();
const fields = "{ templateId name title description category owner tags status versions: allVersions { status } }";

interface Template {
  templateId: string;
  status: string;
}

describe("a template", () => {
  let fixture: CatalogFixture;
  let actor: Principal;

  beforeAll(async () => {
    fixture = await startCatalogFixture(tokens.verifier);
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    actor = aPrincipal();
  });

  const mutate = async (operation: string, as = actor): Promise<Template> =>
    (await fixture.run<{ done: Template }>(as, `mutation { done: ${operation} ${fields} }`)).done;
  const register = (name: string) =>
    mutate(`registerTemplate(input: { name: "${name}", title: "T", description: "D", tags: ["a"] })`);
  const update = (id: string, input: string, as = actor) =>
    mutate(`updateTemplate(templateId: "${id}", input: ${input})`, as);
  const events = async (id: string) =>
    fixture.rows<{ type: string; data: Record<string, unknown> }>(
      `select type, envelope->'data' as data from catalog.outbox where envelope->>'subject' = $1 and type <> 'AuditRecord' order by seq`,
      `templates/${id}`,
    );
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "done",
      (error: Error & { extensions?: { code?: string } }) => error.extensions?.code ?? error.message,
    );

  it("is renamed and described, member by member", async () => {
    const { templateId } = await register("Web");
    expect(await update(templateId, '{ name: "Web API", owner: "team" }')).toMatchObject({
      name: "Web API",
      title: "T",
      description: "D",
      owner: "team",
      tags: ["a"],
    });
    expect(await update(templateId, '{ title: null, description: null, tags: ["b", "b"] }')).toMatchObject({
      name: "Web API",
      title: null,
      description: null,
      tags: ["b"],
    });
    await update(templateId, '{ name: "Web API", tags: ["b"] }');
    await update(templateId, "{}");
    expect((await events(templateId)).slice(1)).toMatchObject([
      { type: "TemplateUpdated", data: { name: "Web API", changed: ["name", "owner"] } },
      { type: "TemplateUpdated", data: { changed: ["title", "description", "tags"] } },
    ]);
  });

  it("has a name of its own, which cannot be removed", async () => {
    const [first, second] = [await register("One"), await register("Two")];
    expect(await codeOf(update(second.templateId, '{ name: "ONE" }'))).toBe("TEMPLATE_EXISTS");
    expect(await codeOf(update(second.templateId, "{ name: null }"))).toBe("VALIDATION_FAILED");
    expect(await update(first.templateId, '{ name: "oNe" }')).toMatchObject({ name: "oNe" });
    const outcomes = await Promise.all(
      [first, second].map(({ templateId }) => codeOf(update(templateId, '{ name: "Third" }'))),
    );
    expect(outcomes.sort()).toEqual(["TEMPLATE_EXISTS", "done"]);
  });

  it("of another tenant is unknown", async () => {
    const { templateId } = await register("Mine");
    const stranger = aPrincipal();
    for (const operation of [
      `updateTemplate(templateId: "${templateId}", input: { name: "Theirs" })`,
      `archiveTemplate(templateId: "${templateId}")`,
      `restoreTemplate(templateId: "${templateId}")`,
    ])
      expect(await codeOf(mutate(operation, stranger))).toBe("TEMPLATE_NOT_FOUND");
  });

  it("takes no new version while it is archived, and is found by its status", async () => {
    const { templateId } = await register("Old");
    await register("New");
    expect(await mutate(`archiveTemplate(templateId: "${templateId}")`)).toMatchObject({ status: "Archived" });
    expect(await codeOf(mutate(`archiveTemplate(templateId: "${templateId}")`))).toBe("INVALID_STATE");
    const create = `mutation { createTemplateVersion(templateId: "${templateId}", input: { semanticVersion: "1.0.0",
      sourceRef: "stored://nowhere", engineKind: DotnetNewTemplatePack, targetFramework: "net8.0" }) { revision } }`;
    expect(await codeOf(fixture.run(actor, create))).toBe("INVALID_STATE");
    const namesFor = async (filter: string) =>
      (
        await fixture.run<{ templates: { items: { name: string }[] } }>(
          actor,
          `{ templates${filter} { items { name } } }`,
        )
      ).templates.items.map(({ name }) => name);
    expect(await namesFor("(filter: { status: Archived })")).toEqual(["Old"]);
    expect(await namesFor("(filter: { status: Active })")).toEqual(["New"]);
    expect(await namesFor("")).toEqual(["New", "Old"]);
    expect(await mutate(`restoreTemplate(templateId: "${templateId}")`)).toMatchObject({ status: "Active" });
    expect(await codeOf(fixture.run(actor, create))).toBe("done");
    expect((await events(templateId)).map(({ type }) => type)).toEqual([
      "TemplateRegistered",
      "TemplateArchived",
      "TemplateRestored",
    ]);
  });
});
