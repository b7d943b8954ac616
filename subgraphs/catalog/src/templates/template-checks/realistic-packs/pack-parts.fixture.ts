import type { FileTree } from "@factory/template-engine/file-tree";

export interface RealisticPack {
  readonly what: string;
  readonly files: FileTree;
  /** As a careful author describes the parameters. */
  readonly schema: unknown;
}

const restore = "210D431B-A78B-4D2F-B762-4ED3E3EA9025";
export const openInEditor = "84C0DA21-51C8-4541-9940-6CA19AF04EE6";
export const makeExecutable = "CB9A6CF3-4F5C-4860-B9D2-03A574959774";

export const framework = {
  type: "parameter",
  description: "What the project targets.",
  datatype: "choice",
  choices: [{ choice: "net8.0", description: "Target net8.0" }, { choice: "net9.0" }],
  replaces: "net8.0",
  defaultValue: "net8.0",
};

export const skipRestore = { type: "parameter", datatype: "bool", description: "No restore.", defaultValue: "false" };

export function config(identity: string, more: object): string {
  const common = {
    $schema: "http://json.schemastore.org/template",
    author: "Example",
    classifications: ["Common"],
    identity: `Example.${identity}.CSharp`,
    groupIdentity: `Example.${identity}`,
    precedence: 8000,
    name: identity,
    shortName: [`example-${identity.toLowerCase()}`],
    tags: { language: "C#", type: "project" },
    preferNameDirectory: true,
  };
  return JSON.stringify({ ...common, ...more }, null, 2);
}

export const restoring = (condition = "(!skipRestore)") => ({
  id: "restore",
  condition,
  description: "Restore the packages of the project.",
  manualInstructions: [{ text: "Run 'dotnet restore'" }],
  actionId: restore,
  continueOnError: true,
});
