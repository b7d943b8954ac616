import { rename } from "node:fs/promises";
import type { Principal } from "@factory/runtime/auth/principal";
import { aTokenIssuer } from "@factory/runtime/auth/token-issuer.fixture";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { aPrincipal, type CatalogFixture, startCatalogFixture } from "../../catalog.fixture.js";
import { BareRepository } from "../../git/git/bare-repository.fixture.js";
import type { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import type { TemplateChecker } from "../validations/template-checker.js";
import { ValidationService } from "../validations/validation.service.js";
import { TemplateService } from "./template.service.js";
import { TemplateVersionService } from "./template-version.service.js";

const tokens = await aTokenIssuer();
const symbols = {
  Title: { type: "parameter", datatype: "string", isRequired: true, description: "Shown on top." },
  Auth: { type: "parameter", datatype: "bool", defaultValue: "true", replaces: "AUTH" },
};
const derivedSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { Title: { description: "Shown on top.", type: "string" }, Auth: { type: "boolean", default: true } },
  required: ["Title"],
};
const content = (more: object = {}) => ({
  ".template.config/template.json": JSON.stringify({ identity: "T", name: "T", shortName: "t", symbols, ...more }),
  "a.txt": "AUTH Title",
});

interface Version {
  templateId: string;
  templateVersionId: string;
  parameterSchema: object;
  parameterSchemaOrigin: string;
  revision: number;
  status: string;
  semanticVersion: string;
  details: { name: string } | null;
}
const fields = `{ templateId templateVersionId parameterSchema parameterSchemaOrigin revision status semanticVersion
  details { name } }`;

describe("a Draft", () => {
  let fixture: CatalogFixture;
  let repository: BareRepository;
  let actor: Principal;
  let sourceRef: string;

  beforeAll(async () => {
    fixture = await startCatalogFixture(tokens.verifier);
    repository = await BareRepository.create();
    await repository.commit("main", content());
    await repository.commit("other", content({ symbols: {} }));
    sourceRef = `git+${repository.url}#main`;
  });
  afterAll(async () => {
    await fixture.close();
    await repository.remove();
  });
  beforeEach(() => {
    actor = aPrincipal();
  });

  const literal = (input: object) =>
    JSON.stringify(input)
      .replace(/"([a-zA-Z]+)":/g, "$1:")
      .replace('"DotnetNewTemplatePack"', "DotnetNewTemplatePack");
  const inputOf = (more: object = {}) =>
    literal({
      semanticVersion: "1.0.0",
      sourceRef,
      engineKind: "DotnetNewTemplatePack",
      targetFramework: "net8.0",
      ...more,
    });
  const mutate = async <T = Version>(operation: string, selection = fields, as = actor): Promise<T> => {
    const { done } = await fixture.run<{ done: T }>(as, `mutation { done: ${operation} ${selection} }`);
    return done;
  };
  const aTemplate = async () =>
    (
      await mutate<{ templateId: string }>(
        `registerTemplate(input: { name: "t${Math.random().toString(36).slice(2)}" })`,
        "{ templateId }",
      )
    ).templateId;
  const aDraft = async (more: object = {}) =>
    mutate(`createTemplateVersion(templateId: "${await aTemplate()}", input: ${inputOf(more)})`);
  /** Does something while the source's repository cannot be reached. */
  const whileHidden = async <T>(work: () => Promise<T>): Promise<T> => {
    const hidden = `${repository.folder}.hidden`;
    await rename(repository.folder, hidden);
    try {
      return await work();
    } finally {
      await rename(hidden, repository.folder);
    }
  };
  const replace = (id: string, more: object = {}, ifMatch?: string, as = actor) =>
    mutate(
      `replaceTemplateVersion(templateVersionId: "${id}", input: ${inputOf(more)}${ifMatch ? `, ifMatch: ${JSON.stringify(ifMatch)}` : ""})`,
      fields,
      as,
    );
  const remove = (id: string, as = actor) => mutate(`deleteTemplateVersion(templateVersionId: "${id}")`, fields, as);
  const publish = (id: string) => mutate(`publishTemplateVersion(templateVersionId: "${id}")`);
  const validate = ({ templateId, templateVersionId }: Version) =>
    mutate<{ outcome: string; voided: boolean; findings: { code: string }[] }>(
      `validateTemplateVersion(templateId: "${templateId}", input: { templateVersionId: "${templateVersionId}" })`,
      "{ outcome voided findings { code } }",
    );
  const schemaRow = async (id: string) => {
    const [version] = await fixture.rows<{ parameter_schema: object; parameter_schema_origin: string }>(
      "select parameter_schema, parameter_schema_origin from catalog.template_versions where template_version_id = $1",
      decodeId("tpv", id),
    );
    return version;
  };
  const events = async (id: string) =>
    (
      await fixture.rows<{ type: string; data: Record<string, unknown> }>(
        `select type, envelope->'data' as data from catalog.outbox where envelope->>'subject' = $1 and type <> 'AuditRecord' order by seq`,
        `template-versions/${id}`,
      )
    ).map(({ type, data }) => [type, ...(type === "TemplateParameterSchemaDefined" ? [data["parameterSchema"]] : [])]);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "done",
      (error: Error & { extensions?: { code?: string } }) => error.extensions?.code ?? error.message,
    );
  const context = () => requestContext({ principal: actor, trace: continueTrace(undefined) });
  const anExecution = async ({ templateId, templateVersionId }: Version) =>
    mutate<{ executionId: string }>(
      `requestExecution(templateId: "${templateId}", input: { templateVersionId: "${templateVersionId}",
         parameters: { Title: "x" }, target: { repository: "acme/drafts" } })`,
      "{ executionId }",
    );

  describe("without a parameterSchema", () => {
    it("has the one that its content describes, at once", async () => {
      const version = await aDraft();
      expect(version).toMatchObject({ parameterSchema: derivedSchema, parameterSchemaOrigin: "Derived", revision: 1 });
      expect(version.details).toEqual({ name: "T" });
      expect(await events(version.templateVersionId)).toEqual([
        ["TemplateVersionCreated"],
        ["TemplateParameterSchemaDefined", derivedSchema],
      ]);
      expect(await validate(version)).toMatchObject({ outcome: "Passed", findings: [] });
      expect((await events(version.templateVersionId)).slice(2)).toEqual([["TemplateValidated"]]);
    });

    it("has the one that its content describes once a validation has read it, and never another", async () => {
      const version = await whileHidden(() => aDraft());
      expect(version).toMatchObject({ parameterSchema: { type: "object" }, parameterSchemaOrigin: "Open" });
      // the checks already see the derived schema: the open one would hide the required parameter
      expect(await validate(version)).toMatchObject({ outcome: "Passed", findings: [] });
      const row = { parameter_schema: derivedSchema, parameter_schema_origin: "Derived" };
      expect(await schemaRow(version.templateVersionId)).toEqual(row);
      await validate(version);
      const schemas = (await events(version.templateVersionId)).filter(
        ([type]) => type === "TemplateParameterSchemaDefined",
      );
      expect(schemas.map(([, schema]) => schema)).toEqual([{ type: "object" }, derivedSchema]);
    });

    it("is derived once when two processes read the content first, and not after its publication", async () => {
      const [version, release] = await whileHidden(() => Promise.all([aDraft(), aDraft()]));
      await Promise.all([validate(version), validate(version), validate(version)]);
      const schemas = async ({ templateVersionId }: Version) =>
        (await events(templateVersionId)).filter(([type]) => type === "TemplateParameterSchemaDefined");
      expect(await schemas(version)).toHaveLength(2);
      await fixture.rows(
        "update catalog.template_versions set status = 'Published' where template_version_id = $1",
        decodeId("tpv", release.templateVersionId),
      );
      await validate(release);
      expect(await schemas(release)).toHaveLength(1);
      expect(await schemaRow(release.templateVersionId)).toMatchObject({ parameter_schema_origin: "Open" });
    });

    it("is created with an open schema where the content describes none, or cannot be used", async () => {
      await repository.commit("broken", { ".template.config/template.json": "{" });
      await repository.commit("unsafe", { ...content(), link: { mode: "120000", content: "a.txt" } });
      for (const branch of ["broken", "unsafe", "missing"]) {
        const version = await aDraft({ sourceRef: `git+${repository.url}#${branch}` });
        expect(version).toMatchObject({ parameterSchema: { type: "object" }, parameterSchemaOrigin: "Open" });
      }
    });

    it("keeps a schema that was given, whatever the content says", async () => {
      const parameterSchema = { type: "object", properties: { Title: { type: "string" } } };
      const version = await aDraft({ parameterSchema });
      expect(version).toMatchObject({ parameterSchema, parameterSchemaOrigin: "Given" });
      await validate(version);
      expect(await schemaRow(version.templateVersionId)).toMatchObject({ parameter_schema: parameterSchema });
    });
  });

  describe("that is replaced", () => {
    it("has the new content under its id, and its validations are void", async () => {
      const version = await aDraft();
      const { templateVersionId } = version;
      expect(await validate(version)).toMatchObject({ outcome: "Passed", voided: false });
      // the content is the same, and only the framework differs
      expect(await replace(templateVersionId, { targetFramework: "net9.0" })).toMatchObject({ revision: 2 });
      expect(await codeOf(publish(templateVersionId))).toBe("TEMPLATE_VERSION_NOT_VALIDATED");
      const replacement = await replace(templateVersionId, {
        sourceRef: `git+${repository.url}#other`,
        semanticVersion: "1.1.0",
      });
      expect(replacement).toMatchObject({
        templateVersionId,
        revision: 3,
        status: "Draft",
        semanticVersion: "1.1.0",
        parameterSchema: { properties: {} },
      });
      const list = `{ validationResults(templateVersionId: "${templateVersionId}") { items { voided } } }`;
      const { validationResults } = await fixture.run<{ validationResults: { items: object[] } }>(actor, list);
      expect(validationResults.items).toEqual([{ voided: true }]);
      expect((await events(templateVersionId)).slice(3)).toMatchObject([
        ["TemplateVersionReplaced"],
        ["TemplateParameterSchemaDefined", derivedSchema],
        ["TemplateVersionReplaced"],
        ["TemplateParameterSchemaDefined", { properties: {} }],
      ]);
      expect(await validate(version)).toMatchObject({ voided: false });
      expect(await publish(templateVersionId)).toMatchObject({ status: "Published" });
    });

    it("is found by the texts of its present content only", async () => {
      await repository.commit("gateway", content({ name: "Gateway", classifications: ["Edge"] }));
      await repository.commit("proxy", content({ name: "Proxy" }));
      const hits = async (text: string) => {
        const query = `{ searchCatalog(input: { text: "${text}" }) { total } }`;
        return (await fixture.run<{ searchCatalog: { total: number } }>(actor, query)).searchCatalog.total;
      };
      const templateId = await aTemplate();
      expect(await hits("gateway")).toBe(0);
      const input = inputOf({ sourceRef: `git+${repository.url}#gateway` });
      const { templateVersionId } = await mutate(`createTemplateVersion(templateId: "${templateId}", input: ${input})`);
      expect([await hits("gateway"), await hits("edge")]).toEqual([1, 1]);
      await replace(templateVersionId, { sourceRef: `git+${repository.url}#proxy` });
      expect([await hits("gateway"), await hits("proxy")]).toEqual([0, 1]);
      await remove(templateVersionId);
      expect(await hits("proxy")).toBe(0);
    });

    it("takes the replacements of two processes one after the other, and only the first with a condition", async () => {
      const { templateVersionId } = await aDraft();
      await Promise.all([replace(templateVersionId), replace(templateVersionId)]);
      const tries = await Promise.all(
        [1, 2].map(() => codeOf(replace(templateVersionId, { targetFramework: "net9.0" }, '"3"'))),
      );
      expect(tries.sort()).toEqual(["PRECONDITION_FAILED", "done"]);
      expect(await replace(templateVersionId)).toMatchObject({ revision: 5 });
    });

    it("does not count a validation that began before", async () => {
      const version = await aDraft();
      const { templateId, templateVersionId } = version;
      const service = validationsDuring(() => replace(templateVersionId));
      const result = await service.validate(context(), templateId, { templateVersionId });
      expect(result).toMatchObject({ outcome: "Passed", voided: true });
      expect(await codeOf(publish(templateVersionId))).toBe("TEMPLATE_VERSION_NOT_VALIDATED");
      expect((await events(templateVersionId)).flat()).not.toContain("TemplateValidated");
    });

    it("does not get the content that was read for the earlier revision", async () => {
      const version = await whileHidden(() => aDraft());
      const { templateId, templateVersionId } = version;
      const changes = { parameterSchema: { type: "object" }, sourceRef: "stored://nowhere" };
      await validationsDuring(() => replace(templateVersionId, changes), "read").validate(context(), templateId, {
        templateVersionId,
      });
      const [row] = await fixture.rows(
        `select resolved_ref, content_digest, facts, details, parameter_schema_origin
         from catalog.template_versions where template_version_id = $1`,
        decodeId("tpv", templateVersionId),
      );
      expect(row).toEqual({
        resolved_ref: null,
        content_digest: null,
        facts: null,
        details: null,
        parameter_schema_origin: "Given",
      });
    });

    it("is kept as it was for the executions that name it, and for no other reason", async () => {
      const version = await aDraft();
      const { templateVersionId } = version;
      await replace(templateVersionId);
      await anExecution(version);
      const other = `git+${repository.url}#other`;
      await replace(templateVersionId, { sourceRef: other });
      await replace(templateVersionId, { sourceRef: "stored://nowhere", parameterSchema: { type: "object" } });
      const versions = new TemplateVersionService(fixture.database, new TemplateService(fixture.database));
      const at = async (revision: number) =>
        (await versions.at(tenantOf(context()), templateVersionId, revision))?.sourceRef;
      expect(await Promise.all([1, 2, 3, 4].map(at))).toEqual([undefined, sourceRef, undefined, "stored://nowhere"]);
    });

    it("is a Draft of an Active template of the own tenant, and unlike its neighbours", async () => {
      const { templateId, templateVersionId } = await aDraft();
      const second = await mutate(
        `createTemplateVersion(templateId: "${templateId}", input: ${inputOf({ semanticVersion: "2.0.0" })})`,
      );
      expect(await codeOf(replace(second.templateVersionId))).toBe("TEMPLATE_VERSION_EXISTS");
      expect(await codeOf(replace(templateVersionId, { sourceRef: "git+https://u:p@h/r.git" }))).toBe(
        "SOURCE_REF_INVALID",
      );
      expect(await codeOf(replace(templateVersionId, { parameterSchema: { type: "odd" } }))).toBe(
        "PARAMETER_SCHEMA_INVALID",
      );
      expect(await codeOf(replace(templateVersionId, {}, undefined, aPrincipal()))).toBe("TEMPLATE_VERSION_NOT_FOUND");
      await mutate(`archiveTemplate(templateId: "${templateId}")`, "{ status }");
      expect(await codeOf(replace(templateVersionId))).toBe("INVALID_STATE");
      await mutate(`restoreTemplate(templateId: "${templateId}")`, "{ status }");
      await fixture.passEveryCheck(templateVersionId);
      await publish(templateVersionId);
      expect(await codeOf(replace(templateVersionId))).toBe("INVALID_STATE");
      expect(await codeOf(remove(templateVersionId))).toBe("INVALID_STATE");
    });
  });

  describe("that is deleted", () => {
    it("is gone with its validations", async () => {
      const version = await aDraft();
      await validate(version);
      expect(await codeOf(remove(version.templateVersionId, aPrincipal()))).toBe("TEMPLATE_VERSION_NOT_FOUND");
      expect(await remove(version.templateVersionId)).toMatchObject({ templateVersionId: version.templateVersionId });
      expect(await codeOf(remove(version.templateVersionId))).toBe("TEMPLATE_VERSION_NOT_FOUND");
      const rows = await fixture.rows(
        "select from catalog.validation_results where template_version_id = $1",
        decodeId("tpv", version.templateVersionId),
      );
      expect(rows).toEqual([]);
      expect((await events(version.templateVersionId)).at(-1)).toEqual(["TemplateVersionDeleted"]);
    });

    it("ends a validation that began before as unknown", async () => {
      const version = await aDraft();
      const { templateId, templateVersionId } = version;
      const service = validationsDuring(() => remove(templateVersionId));
      await expect(service.validate(context(), templateId, { templateVersionId })).rejects.toMatchObject({
        code: "TEMPLATE_VERSION_NOT_FOUND",
      });
    });

    it("is named by no execution, by none of an earlier revision either, and by no deprecation", async () => {
      const version = await aDraft();
      await anExecution(version);
      await replace(version.templateVersionId);
      expect(await codeOf(remove(version.templateVersionId))).toBe("CONFLICT");
      const [old, replacement] = [await aDraft(), await aDraft()];
      await fixture.passEveryCheck(old.templateVersionId);
      await publish(old.templateVersionId);
      await mutate(
        `deprecateTemplateVersion(templateVersionId: "${old.templateVersionId}", input: { reason: Legacy,
           replacementTemplateVersionId: "${replacement.templateVersionId}" })`,
      );
      expect(await codeOf(remove(replacement.templateVersionId))).toBe("CONFLICT");
    });

    it("is named by no deprecation that is written while another process deletes it", async () => {
      const [old, replacement] = [await aDraft(), await aDraft()];
      await fixture.passEveryCheck(old.templateVersionId);
      await publish(old.templateVersionId);
      let deprecation: Promise<string> = Promise.resolve("");
      await fixture.database.transaction(
        tenantOf(context()),
        { trace: continueTrace(undefined) },
        async ({ execute, tenant }) => {
          await execute("delete from template_versions where tenant_id = $1 and template_version_id = $2", [
            ...[tenant.uuid, decodeId("tpv", replacement.templateVersionId)],
          ]);
          deprecation = codeOf(
            mutate(
              `deprecateTemplateVersion(templateVersionId: "${old.templateVersionId}", input: { reason: Legacy,
                 replacementTemplateVersionId: "${replacement.templateVersionId}" })`,
            ),
          );
          await new Promise((resolve) => setTimeout(resolve, 300));
        },
      );
      expect(await deprecation).toBe("REFERENCE_NOT_FOUND");
    });

    it("is not deleted while another process is requesting its execution", async () => {
      const version = await aDraft();
      const { templateVersionId } = version;
      const versions = new TemplateVersionService(fixture.database, new TemplateService(fixture.database));
      const order: string[] = [];
      let removal: Promise<unknown> = Promise.resolve();
      await fixture.database.transaction(
        tenantOf(context()),
        { trace: continueTrace(undefined) },
        async (transaction) => {
          expect(await versions.hold(transaction, templateVersionId)).toBe(1);
          removal = remove(templateVersionId).then(() => order.push("deleted"));
          await new Promise((resolve) => setTimeout(resolve, 200));
          order.push("held");
        },
      );
      await removal;
      expect(order).toEqual(["held", "deleted"]);
    });
  });

  /** Validations during whose checks, or after whose source read, something else happens. */
  function validationsDuring(interrupt: () => Promise<unknown>, when: "checks" | "read" = "checks"): ValidationService {
    const { database } = fixture;
    const files = new Map(
      Object.entries(content()).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: false }]),
    );
    const sources = {
      read: async () => {
        if (when === "read") await interrupt();
        return { files, contentDigest: `sha256:${"0".repeat(64)}`, resolvedRef: "stored://nowhere@1" };
      },
    } as unknown as TemplateSources;
    const checker = {
      runChecks: async () => {
        if (when === "checks") await interrupt();
        return { findings: [], samples: 0 };
      },
    } as unknown as TemplateChecker;
    const versions = new TemplateVersionService(database, new TemplateService(database));
    return new ValidationService({ database, versions, sources, checker });
  }
});
