import type { TargetChange } from "@factory/template-engine/target-edits";
import { withTemplateEdits } from "./render-on-target.js";

const project = (...lines: string[]) => ["<Project>", ...lines, "</Project>", ""].join("\n");
const reference = { element: "PackageReference", include: "Polly", version: "8.4.2" } as const;
const changes: TargetChange[] = [{ kind: "reference", reference }];
const place = (text: string) => ({
  rendered: {
    files: new Map(),
    primaryOutputs: [],
    manualInstructions: [],
    warnings: [],
    edits: [{ path: "a.csproj", changes, text }],
  },
  targetTexts: new Map([["a.csproj", project()]]),
});
const editedBytes = (current: string, earlier?: (bytes: Uint8Array) => Uint8Array) => {
  const edits = new Map(earlier ? [["a.csproj", earlier]] : []);
  const bytes = withTemplateEdits(edits, place("as it was seen")).get("a.csproj")?.(Buffer.from(current));
  return Buffer.from(bytes ?? []).toString();
};

describe("changes of a template to its target", () => {
  it("are taken as they were made while the file is as it was seen", () => {
    expect(editedBytes(project())).toBe("as it was seen");
  });

  it("are made again when the branch has moved, and leave a file unchanged that can no longer be edited", () => {
    expect(editedBytes(project("<!-- new -->"))).toMatch(/<!-- new -->[\s\S]*Include="Polly" Version="8.4.2"/);
    expect(editedBytes("<Project>")).toBe("<Project>");
  });

  it("come behind those of the libraries in the same file", () => {
    const both = editedBytes(project(), (bytes) => Buffer.concat([bytes, Buffer.from("<!-- library -->")]));
    expect(both).toContain("<!-- library -->");
    expect(both).toContain('Include="Polly"');
  });
});
