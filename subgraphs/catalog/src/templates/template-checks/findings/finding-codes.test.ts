import type { DomainError } from "@factory/runtime/errors/domain-error";
import type { Finding } from "@factory/template-engine/finding";
import { tree } from "@factory/template-engine/template-pack.fixture";
import { requireSafeTree } from "../../../sources/sources/references/source-limits.js";
import { sourceFinding } from "../../validations/source-finding.js";
import { runCheck } from "../run-check.js";
import { configPath, type Files, pack, sound } from "../structural-lint/lint-pack.fixture.js";
import { type CheckName, type FindingCode, findingCodes } from "./finding-codes.js";

type FindingCase = () => Promise<Finding[]> | Finding[];

/** Nothing in the present engine renders the same request in two ways; the comparison has its own test. */
type Reachable = Exclude<FindingCode, "NonDeterministic">;

interface Subject {
  schema?: unknown;
  framework?: string;
}

async function found(check: CheckName, files: ReturnType<typeof tree>, subject: Subject = {}): Promise<Finding[]> {
  const { schema = { type: "object" }, framework = "net8.0" } = subject;
  const request = { parameterSchema: schema, targetFramework: framework, withInfo: true };
  return (await runCheck(check, files, request)).findings;
}

const lint = (config: object, files: Files = { "a.txt": "a" }, subject?: Subject) =>
  found("StructuralLint", pack(config, files), subject);
const schema = (parameterSchema: unknown, symbols: object = {}) =>
  found("ParameterSchema", pack({ symbols }, { "a.txt": "" }), { schema: parameterSchema });
const sample = (config: object, files: Files, subject?: Subject) =>
  found("SampleGeneration", pack(config, files), subject);
const unsafe = (mode: string) => () => {
  try {
    requireSafeTree([{ mode, type: mode === "160000" ? "commit" : "blob", id: "0", path: "a", size: 1 }]);
    return [];
  } catch (error) {
    return [sourceFinding("StructuralLint", error as DomainError)];
  }
};

const parameter = (more: object = {}) => ({ type: "parameter", datatype: "string", ...more });
const generatedSymbol = (generator: string, parameters: object = {}) => ({ type: "generated", generator, parameters });
const restore = { actionId: "210D431B-A78B-4D2F-B762-4ED3E3EA9025" };
const localization = (texts: string) => ({ ".template.config/localize/templatestrings.de.json": texts });
const versionedProject = '<Project><PackageReference Include="A" Version="1.0" /></Project>';
const central =
  "<Project><PropertyGroup><ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally></PropertyGroup></Project>";

const lfsPointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d7a".repeat(16)}\nsize 12345\n`;

const findingCases: Record<Reachable, FindingCase> = {
  CaseCollision: () => lint({}, { "a.txt": "", "A.txt": "" }),
  ConditionUnparseable: () => lint({ sources: [{ condition: "(true" }] }),
  ConstraintNotChecked: () => lint({ constraints: { linux: { type: "os", args: "Linux" } } }),
  ConstraintNotMet: () => lint({ constraints: { old: { type: "sdk-version", args: "[6.0,7.0)" } } }),
  FileTooLarge: () => lint({}, { "a.txt": "x".repeat(5 * 1024 * 1024 + 1) }),
  InvalidMultiChoice: () =>
    lint({
      symbols: {
        A: { type: "parameter", datatype: "choice", allowMultipleValues: true, choices: [{ choice: "a|b" }] },
      },
    }),
  InvalidRegex: () => lint({ symbols: { A: generatedSymbol("regexMatch", { source: "name", pattern: "(" }) } }),
  LfsObjectMissing: () => lint({}, { "a.txt": lfsPointer }),
  LocalizationMismatch: () => lint({}, localization('{"postActions/none/description": "x"}')),
  LocalizationUnreadable: () => lint({}, localization("{")),
  ManualInstructionIdDuplicated: () =>
    lint({ postActions: [{ ...restore, manualInstructions: [1, 2].map(() => ({ id: "a", text: "b" })) }] }),
  MissingAuthor: () => lint({}),
  MissingClassifications: () => lint({}),
  MissingGeneratorVersions: () => lint({}),
  MissingGroupIdentity: () => lint({}),
  MissingIdentity: () => lint({ identity: "" }),
  MissingManualInstructions: () => lint({ postActions: [restore] }),
  MissingName: () => lint({ name: "" }),
  MissingPrecedence: () => lint({}),
  MissingShortName: () => lint({ shortName: [] }),
  MissingSourceName: () => lint({}),
  PathTraversal: () => lint({ sources: [{ target: "../up" }] }),
  PostActionIdDuplicated: () => lint({ postActions: [1, 2].map(() => ({ ...restore, id: "a" })) }),
  PostActionIdMissing: () => lint({ postActions: [{}] }),
  PostActionUnknown: () => lint({ postActions: [{ actionId: "00000000-0000-0000-0000-000000000001" }] }),
  PrimaryOutputMissing: () => lint({ primaryOutputs: [{ path: "none.txt" }] }),
  RegexTooSlow: () => lint({ forms: { c: { identifier: "replace", pattern: "^(a+)+$", replacement: "" } } }),
  ReservedFileName: () => lint({}, { "NUL.txt": "" }),
  RunScriptPostAction: () => lint({ postActions: [{ actionId: "3A7C4B45-1F5D-4A30-959A-51B88E82B5D2" }] }),
  SchemaViolation: () => lint({ symbols: [] }),
  SecretLikeContent: () => lint({}, { "a.txt": `x\n  key = ${"AKIA"}${"ABCDEFGH".repeat(2)}` }),
  SourceMissing: () => lint({ sources: [{ source: "none" }] }),
  SourceNameAmbiguousForms: () => lint({ sourceName: "App" }),
  SourceNotDirectory: () => lint({ sources: [{ source: "a.txt" }] }),
  SourceOutsidePackage: () => lint({ sources: [{ source: "../a" }] }),
  SubmoduleNotAllowed: unsafe("160000"),
  SymbolCycle: () => lint({ symbols: { A: { type: "computed", value: "B" }, B: { type: "computed", value: "A" } } }),
  SymlinkNotAllowed: unsafe("120000"),
  TemplateAmbiguous: () =>
    found(
      "StructuralLint",
      tree({ [`a/${configPath}`]: JSON.stringify(sound), [`b/${configPath}`]: JSON.stringify(sound) }),
    ),
  TemplateConfigMissing: () => found("StructuralLint", tree({ "a.txt": "" })),
  TemplateConfigUnreadable: () => found("StructuralLint", tree({ [configPath]: "{" })),
  TemplateNotFound: async () => {
    const subject = { parameterSchema: {}, targetFramework: "net8.0", template: { identity: "none" } };
    return (await runCheck("StructuralLint", pack({}, { "a.txt": "" }), subject)).findings;
  },
  UnbalancedConditional: () => lint({}, { "a.cs": "#if (true)\n" }),
  UnknownGenerator: () => lint({ symbols: { A: generatedSymbol("magic") } }),
  UnknownRenamedArgument: () => lint({ postActions: [{ ...restore, applyFileRenamesToArgs: ["a"] }] }),
  UnknownSymbolInCondition: () => lint({}, { "a.cs": "#if (Debug)\n#endif\n" }),
  UnknownValueForm: () => lint({ symbols: { A: parameter({ replaces: "a", forms: { global: ["none"] } }) } }),
  UnusedSymbol: () => lint({ symbols: { Lonely: parameter() } }),

  DefaultDiffers: () => schema({ properties: { A: { default: "a" } } }, { A: parameter({ defaultValue: "b" }) }),
  DefaultNotValid: () => schema({ properties: { A: { type: "string", default: 1 } } }),
  EnumDiffersFromChoices: () =>
    schema(
      { properties: { A: { enum: ["b"] } } },
      { A: parameter({ datatype: "choice", choices: [{ choice: "a" }] }) },
    ),
  EnumEmpty: () => schema({ properties: { A: { enum: [] } } }),
  EnumTypeMismatch: () => schema({ properties: { A: { type: "string", enum: [1] } } }),
  PatternTooSlow: () => schema({ properties: { A: { type: "string", pattern: "^(a+)+$" } } }),
  PropertyWithoutSymbol: () => schema({ properties: { A: {} } }),
  RemoteRefNotAllowed: () => schema({ properties: { A: { $ref: "https://example.com/a.json" } } }),
  RequiredDiffers: () => schema({ properties: { A: {} } }, { A: parameter({ isRequired: true }) }),
  RequiredNotInProperties: () => schema({ required: ["A"] }),
  ReservedParameterName: () => schema({ properties: { name: { type: "integer" } } }),
  RootNotObject: () => schema([]),
  SchemaNotValid: () => schema({ properties: [] }),
  SymbolWithoutProperty: () => schema({ type: "object" }, { A: parameter({ isRequired: true }) }),
  TypeMismatch: () => schema({ properties: { A: { type: "integer" } } }, { A: parameter({ datatype: "bool" }) }),

  DirectiveLeft: () =>
    sample({ symbols: { A: parameter() }, sources: [{ copyOnly: ["*.cs"] }] }, { "a.cs": "#if (A)\n#endif\n" }),
  NoFilesProduced: () => sample({}, {}),
  NotWellFormed: () => sample({}, { "a.csproj": "<Project>" }),
  PackageReferenceWithVersionUnderCpm: () =>
    sample({}, { "a.csproj": versionedProject, "Directory.Packages.props": central }),
  PathCollision: () => sample({ sources: [{ rename: { "a.txt": "b.txt" } }] }, { "a.txt": "1", "b.txt": "2" }),
  PrimaryOutputNotProduced: () => sample({ primaryOutputs: [{ path: "b.txt" }] }, { "a.txt": "" }),
  SampleRenderFailed: () => sample({ symbols: { A: generatedSymbol("constant") } }, { "a.txt": "" }),
  TargetFrameworkMismatch: () =>
    sample({}, { "a.csproj": "<Project><TargetFramework>net9.0</TargetFramework></Project>" }),
  TokenLeft: () => sample({ sourceName: "Company.App", sources: [{ copyOnly: ["*"] }] }, { "a.txt": "Company.App" }),
};

/** Those whose place is the whole template, a schema without lines, or a path without a text. */
const placeless = new Set<string>([
  "CaseCollision",
  "FileTooLarge",
  "LfsObjectMissing",
  "NoFilesProduced",
  "PackageReferenceWithVersionUnderCpm",
  "PathCollision",
  "ReservedFileName",
  "PrimaryOutputNotProduced",
  "SampleRenderFailed",
  "SubmoduleNotAllowed",
  "SymlinkNotAllowed",
  "TargetFrameworkMismatch",
  "TemplateAmbiguous",
  "TemplateConfigMissing",
  "TemplateNotFound",
]);

describe("finding codes", () => {
  it.each(Object.keys(findingCases) as Reachable[])("%s is found", async (code) => {
    const findings = await findingCases[code]();
    const match = findings.find((candidate) => candidate.code === code);
    const { check } = findingCodes[code];
    expect(match).toMatchObject({ code, check, message: expect.stringMatching(/^.{15,}[.)]$/) });
    if (check === "ParameterSchema") expect(match).toMatchObject({ pointer: expect.any(String) });
    else if (!placeless.has(code))
      expect(match).toMatchObject({ path: expect.any(String), line: expect.any(Number), column: expect.any(Number) });
  });

  it("shows no Info unless asked", async () => {
    const files = pack({}, { "a.txt": "a" });
    const subject = { parameterSchema: {}, targetFramework: "net8.0" };
    expect((await runCheck("StructuralLint", files, subject)).findings).toEqual([]);
    const { findings } = await runCheck("StructuralLint", files, { ...subject, withInfo: true });
    expect(new Set(findings.map(({ severity }) => severity))).toEqual(new Set(["Info"]));
  });

  it("never shows the secret it found", async () => {
    const secret = `${"AKIA"}${"ABCDEFGH".repeat(2)}`;
    const [secretFinding] = (await lint({}, { "a.txt": secret })).filter(({ code }) => code === "SecretLikeContent");
    expect(secretFinding?.message).not.toContain(secret.slice(4));
  });

  it("names the code that the template engine's own check has", async () => {
    const [identityFinding] = (await lint({ identity: "" })).filter(({ code }) => code === "MissingIdentity");
    expect(identityFinding?.message).toContain("(MV001)");
  });
});
