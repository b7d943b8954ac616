import { aSmallPack } from "../kit/packs.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

let token: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

const post = <T = Record<string, unknown>>(path: string, body: unknown) => request<T>(`POST ${path}`, { token, body });
const get = <T = Record<string, unknown>>(path: string) => request<T>(`GET ${path}`, { token });

const aName = () => `Template ${Math.random().toString(36).slice(2)}`;

async function aTemplate(): Promise<string> {
  const { body } = await post<{ templateId: string }>("/v1/templates", { name: aName() });
  return body.templateId;
}

const aVersion = (changes: Record<string, unknown> = {}) => ({
  semanticVersion: "1.0.0",
  sourceRef: "stored://unresolved",
  engineKind: "DotnetNewTemplatePack",
  targetFramework: "net8.0",
  ...changes,
});

describe("POST /v1/templates", () => {
  it("returns the documented members", async () => {
    const name = aName();
    const input = { name, title: "A title", category: "Service", owner: "team-a", tags: ["web", "api"] };
    const answer = await post("/v1/templates", input);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      templateId: expect.stringMatching(/^tpl_[0-9a-z]{26}$/),
      name,
      category: "Service",
      status: "Active",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(answer.headers.get("location")).toBe(`/v1/templates/${String(answer.body["templateId"])}`);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  it("accepts a name once, ignoring case", async () => {
    const name = aName();
    expect((await post("/v1/templates", { name })).status).toBe(201);
    expect(refusal(await post("/v1/templates", { name: name.toUpperCase() }))).toBe("409 TEMPLATE_EXISTS");
  });

  it("accepts a name once from ten requests at the same time", async () => {
    const name = aName();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post("/v1/templates", { name })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(9);
  });

  it("stores Unicode text unchanged", async () => {
    const name = `Größe 規格 🏭 ${aName()}`;
    const { body } = await post<{ templateId: string }>("/v1/templates", { name });
    expect((await get(`/v1/templates/${body.templateId}`)).body["name"]).toBe(name);
  });
});

describe("GET /v1/templates/{templateId}", () => {
  it("returns the documented members, the newest version first", async () => {
    const templateId = await aTemplate();
    for (const semanticVersion of ["1.0.0", "1.10.0", "1.2.0", "2.0.0-rc.1"])
      await post(`/v1/templates/${templateId}/versions`, aVersion({ semanticVersion }));
    const { status, body, headers } = await get<{ versions: { semanticVersion: string }[] }>(
      `/v1/templates/${templateId}`,
    );
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["templateId", "name", "category", "status", "versions"]);
    expect(body).toMatchObject({ templateId, category: null, status: "Active" });
    expect(body.versions[0]).toEqual({
      templateVersionId: expect.stringMatching(/^tpv_/),
      semanticVersion: "2.0.0-rc.1",
      status: "Draft",
      targetFramework: "net8.0",
    });
    expect(body.versions.map(({ semanticVersion }) => semanticVersion)).toEqual([
      "2.0.0-rc.1",
      "1.10.0",
      "1.2.0",
      "1.0.0",
    ]);
    expect(headers.get("cache-control")).toBe("private, no-cache");
  });

  it("returns 304 while nothing has changed", async () => {
    const templateId = await aTemplate();
    const etag = (await get(`/v1/templates/${templateId}`)).headers.get("etag") ?? "";
    const again = () =>
      request(`GET /v1/templates/${templateId}`, { token, headers: { "if-none-match": `"other", ${etag}` } });
    expect(await again()).toMatchObject({ status: 304, text: "" });
    await post(`/v1/templates/${templateId}/versions`, aVersion());
    expect((await again()).status).toBe(200);
  });
});

describe("POST /v1/templates/{templateId}/versions", () => {
  it("returns the documented members", async () => {
    const templateId = await aTemplate();
    const parameterSchema = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
    const input = aVersion({ semanticVersion: "1.0.0-beta.1+build.5", parameterSchema, changelog: "First." });
    const { status, body, headers } = await post(`/v1/templates/${templateId}/versions`, input);
    expect(status).toBe(201);
    expect(body).toEqual({
      templateVersionId: expect.stringMatching(/^tpv_/),
      semanticVersion: "1.0.0-beta.1+build.5",
      status: "Draft",
      parameterSchema,
    });
    expect(headers.get("location")).toBe(`/v1/templates/${templateId}`);
  });

  it("accepts a version once, ignoring build metadata", async () => {
    const path = `/v1/templates/${await aTemplate()}/versions`;
    expect((await post(path, aVersion({ semanticVersion: "1.0.0+a" }))).status).toBe(201);
    for (const semanticVersion of ["1.0.0+b", "1.0.0"])
      expect(refusal(await post(path, aVersion({ semanticVersion })))).toBe("409 TEMPLATE_VERSION_EXISTS");
  });

  it.each([
    ["another engine", { engineKind: "Cookiecutter" }, "422 ENGINE_KIND_NOT_SUPPORTED", "/engineKind UNKNOWN_VALUE"],
    [
      "no framework",
      { targetFramework: "dotnet-eight" },
      "422 RUNTIME_NOT_RECOGNISED",
      "/targetFramework UNKNOWN_VALUE",
    ],
    ["a version with a leading v", { semanticVersion: "v1.0.0" }, "400 VALIDATION_FAILED", "/semanticVersion FORMAT"],
    ["a version with two parts", { semanticVersion: "1.0" }, "400 VALIDATION_FAILED", "/semanticVersion FORMAT"],
    ["a leading zero", { semanticVersion: "1.01.0" }, "400 VALIDATION_FAILED", "/semanticVersion FORMAT"],
  ])("refuses %s", async (_, changes, expectedCode, field) => {
    const answer = await post(`/v1/templates/${await aTemplate()}/versions`, aVersion(changes));
    expect(refusal(answer)).toBe(expectedCode);
    expect(refusedFields(answer)).toEqual([field]);
  });

  it.each([
    "git+https://user:secret@example.com/a/b.git",
    "git+https://169.254.169.254/latest/meta-data#main",
    "git+https://[::ffff:169.254.169.254]/x.git",
    "git+https://10.0.0.7/x.git",
    "git+https://example.com/a.git#main\n--upload-pack=x",
    "git+https://example.com/a.git#--upload-pack=x",
    "git+https://example.com/a.git#main:../../etc",
    "https://user:secret@example.com/pack.zip",
  ])("refuses the dangerous source %j", async (sourceRef) => {
    const answer = await post(`/v1/templates/${await aTemplate()}/versions`, aVersion({ sourceRef }));
    expect(refusal(answer)).toBe("422 SOURCE_REF_INVALID");
    expect(refusedFields(answer)).toEqual([expect.stringMatching(/^\/sourceRef /)]);
    expect(answer.text).not.toContain("secret");
  });

  it("accepts an unknown kind of source, which StructuralLint reports later", async () => {
    const version = await aTemplateVersion(token, "artifact-registry:web-api/1.0");
    const { body } = await post<{ outcome: string; findings: { code: string }[] }>(
      `/v1/templates/${version.templateId}/validate`,
      { templateVersionId: version.templateVersionId, checks: ["StructuralLint"] },
    );
    expect(body.outcome).toBe("Failed");
    expect(body.findings.map(({ code }) => code)).toEqual(["SourceUnavailable"]);
  });

  it.each([
    ["an unknown type", { type: "nope" }, "/type"],
    ["a list as properties", { type: "object", properties: [] }, "/properties"],
    [
      "a pattern that is not a regular expression",
      { type: "object", properties: { Owner: { pattern: "(" } } },
      "/properties/Owner/pattern",
    ],
    ["a reference to another host", { $ref: "https://example.com/schema.json" }, "/$ref"],
    ["a reference to a file", { $defs: { a: { $ref: "file:///etc/passwd" } } }, "/$defs/a/$ref"],
    ["another dialect", { $schema: "http://json-schema.org/draft-07/schema#" }, "/$schema"],
  ])("refuses a parameterSchema with %s, and names the place", async (_, parameterSchema, pointer) => {
    const answer = await post(`/v1/templates/${await aTemplate()}/versions`, aVersion({ parameterSchema }));
    expect(refusal(answer)).toBe("422 PARAMETER_SCHEMA_INVALID");
    expect(refusedFields(answer)).toEqual([`/parameterSchema${pointer} FORMAT`]);
  });

  it("accepts a parameterSchema that refers to a part by its $id", async () => {
    const $defs = { owner: { $id: "https://example.com/owner", type: "string" } };
    const parameterSchema = { properties: { Owner: { $ref: "https://example.com/owner" } }, $defs };
    const { templateId, templateVersionId } = await aTemplateVersion(token, "stored://nowhere", { parameterSchema });
    const execute = (Owner: unknown) =>
      post(`/v1/templates/${templateId}/execute`, {
        templateVersionId,
        parameters: { Owner },
        target: { repository: "acme/schema" },
      });
    expect(refusedFields(await execute(7))).toEqual(["/parameters/Owner TYPE"]);
    expect((await execute("Ada")).status).toBe(202);
  });

  it("refuses a parameterSchema beyond 256 KiB or 500 properties", async () => {
    const path = `/v1/templates/${await aTemplate()}/versions`;
    const properties = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`p${index}`, { type: "string" }]));
    const large = { type: "object", description: "x".repeat(256 * 1024) };
    for (const parameterSchema of [{ type: "object", properties }, large])
      expect((await post(path, aVersion({ parameterSchema }))).status).toBe(400);
  });
});

describe("POST /v1/templates/{templateId}/validate", () => {
  const validate = async (files: Record<string, string>, input: Record<string, unknown> = {}, checks?: unknown) => {
    const version = await aTemplateVersion(token, await aTemplateSource(files), input);
    return post<{ outcome: string; findings: Record<string, unknown>[] }>(
      `/v1/templates/${version.templateId}/validate`,
      { templateVersionId: version.templateVersionId, ...(checks === undefined ? {} : { checks }) },
    );
  };

  it("returns the documented members", async () => {
    const { status, body } = await validate(aSmallPack());
    expect(status).toBe(200);
    expect(body).toEqual({
      validationResultId: expect.stringMatching(/^val_/),
      templateVersionId: expect.stringMatching(/^tpv_/),
      outcome: "Passed",
      findings: [],
      samples: expect.any(Number),
    });
  });

  it("reports each finding with its place", async () => {
    const { body } = await validate({ ...aSmallPack(), ".template.config/template.json": "{ not json" });
    expect(body.outcome).toBe("Failed");
    expect(body.findings[0]).toMatchObject({
      check: expect.any(String),
      severity: "Error",
      code: expect.stringMatching(/^[A-Z][A-Za-z]+$/),
      message: expect.any(String),
      path: ".template.config/template.json",
    });
  });

  it("reports a source without a template as Failed", async () => {
    expect((await validate({ "README.md": "nothing here" })).body.outcome).toBe("Failed");
  });

  it("refuses an unknown check", async () => {
    const answer = await validate(aSmallPack(), {}, ["StructuralLint", "VirusScan"]);
    expect(refusal(answer)).toBe("422 CHECK_UNKNOWN");
    expect(refusedFields(answer)).toEqual(["/checks/1 UNKNOWN_VALUE"]);
  });
});
