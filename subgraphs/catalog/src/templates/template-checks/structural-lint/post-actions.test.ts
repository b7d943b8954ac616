import { codes, lint, lintFor, remarks } from "./lint-pack.fixture.js";

describe("StructuralLint of post actions", () => {
  const action = (actionId: string | undefined, more: object = {}) => ({
    postActions: [{ actionId, description: "do it", ...more }],
  });
  const restore = "210D431B-A78B-4D2F-B762-4ED3E3EA9025";

  it("warns about scripts and unknown actions", () => {
    expect(codes(lint(action("3A7C4B45-1F5D-4A30-959A-51B88E82B5D2")))).toEqual(["Warning RunScriptPostAction"]);
    expect(codes(lint(action("00000000-0000-0000-0000-000000000001")))).toEqual(["Warning PostActionUnknown"]);
  });

  it.each([undefined, "", "restore", "210D431B"])("refuses the actionId %j", (actionId) => {
    expect(lint(action(actionId))).toMatchObject([
      { severity: "Error", code: "PostActionIdMissing", pointer: "/postActions/0/actionId" },
    ]);
  });

  it("is content with the others", () => {
    expect(lint(action(restore))).toEqual([]);
    expect(lint(action("cb9a6cf3-4f5c-4860-b9d2-03a574959774"))).toEqual([]);
  });

  it("warns about ids that stand twice", () => {
    const twice = { postActions: [1, 2].map(() => ({ id: "restore", actionId: restore })) };
    expect(lint(twice)).toMatchObject([
      { severity: "Warning", code: "PostActionIdDuplicated", pointer: "/postActions/1/id" },
    ]);
    const instructions = ["a", "a", "b", undefined, undefined].map((id) => ({ id, text: "do" }));
    expect(codes(lint(action(restore, { manualInstructions: instructions })))).toEqual([
      "Warning ManualInstructionIdDuplicated",
    ]);
  });

  it("warns about renames in an argument that is not there", () => {
    const args = { targetFiles: "a.csproj" };
    expect(lint(action(restore, { args, applyFileRenamesToArgs: ["TargetFiles", "files"] }))).toMatchObject([
      { severity: "Warning", code: "UnknownRenamedArgument", pointer: "/postActions/0/applyFileRenamesToArgs/1" },
    ]);
  });

  it("remarks that nothing says what to do by hand", () => {
    expect(codes(remarks(action(restore)))).toContain("Info MissingManualInstructions");
    expect(lintFor("MissingManualInstructions", action(restore, { manualInstructions: [{ text: "do" }] }))).toEqual([]);
  });
});

describe("StructuralLint of localizations", () => {
  const config = {
    postActions: [
      { id: "restore", actionId: "210D431B-A78B-4D2F-B762-4ED3E3EA9025", manualInstructions: [{ text: "do" }] },
      {
        id: "open",
        actionId: "84C0DA21-51C8-4541-9940-6CA19AF04EE6",
        manualInstructions: [{ id: "by-hand", text: "do" }],
      },
    ],
    symbols: { Kind: { type: "parameter", datatype: "choice", choices: [{ choice: "a" }], replaces: "a" } },
  };
  const lintTexts = (texts: unknown) =>
    lint(config, {
      "a.txt": "a",
      ".template.config/localize/templatestrings.de.json": typeof texts === "string" ? texts : JSON.stringify(texts),
    });

  it("is content with texts for what there is", () => {
    const texts = {
      name: "Eins",
      "symbols/Kind/choices/a/description": "A",
      "postActions/restore/manualInstructions/default/text": "tu es",
      "postActions/open/description": "öffnen",
      "postActions/open/manualInstructions/by-hand/text": "tu es",
    };
    expect(lintTexts(texts)).toEqual([]);
  });

  it.each<[string, string]>([
    ["postActions/gone/description", "LOC002"],
    ["postActions/open/manualInstructions/gone/text", "LOC001"],
    ["postActions/open/manualInstructions/default/text", "LOC001"],
  ])("warns about %s", (key, code) => {
    expect(lintTexts({ [key]: "x" })).toMatchObject([
      {
        severity: "Warning",
        code: "LocalizationMismatch",
        message: expect.stringContaining(code),
        path: ".template.config/localize/templatestrings.de.json",
        line: 1,
      },
    ]);
  });

  it("only remarks on symbols and choices that are not there", () => {
    const files = {
      ".template.config/localize/templatestrings.de.json":
        '{"symbols/Gone/description": "x", "symbols/Kind/choices/b/description": "x"}',
    };
    expect(codes(lintFor("LocalizationMismatch", config, files))).toEqual([
      "Info LocalizationMismatch",
      "Info LocalizationMismatch",
    ]);
  });

  it.each(["{", "[]", '{"name": 1}'])("warns about the unreadable %j", (text) => {
    expect(codes(lintTexts(text))).toEqual(["Warning LocalizationUnreadable"]);
  });
});
