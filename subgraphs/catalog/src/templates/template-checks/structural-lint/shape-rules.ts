/** The member types in template.json, after the format's public documentation. */
export type Shape =
  /** A number or a boolean, which may be written as a text. */
  | { kind: "scalar" }
  | { kind: "text" }
  | { kind: "anything" }
  /** A text, or several texts in a list. */
  | { kind: "texts" }
  /** A boolean, or a text with a condition. */
  | { kind: "condition" }
  | { kind: "list"; of: Shape }
  | { kind: "map"; of: Shape }
  | { kind: "either"; shapes: readonly Shape[] }
  | { kind: "object"; members: Readonly<Record<string, Shape>>; required?: readonly string[] };

const scalar: Shape = { kind: "scalar" };
const text: Shape = { kind: "text" };
const anything: Shape = { kind: "anything" };
const texts: Shape = { kind: "texts" };
const condition: Shape = { kind: "condition" };
const list = (of: Shape): Shape => ({ kind: "list", of });
const map = (of: Shape): Shape => ({ kind: "map", of });
const either = (...shapes: Shape[]): Shape => ({ kind: "either", shapes });
const object = (members: Record<string, Shape>, requiredMembers: string[] = []): Shape => ({
  kind: "object",
  members,
  required: requiredMembers,
});

const symbol = object(
  {
    type: text,
    datatype: text,
    description: text,
    displayName: text,
    replaces: text,
    fileRename: text,
    defaultValue: scalar,
    defaultIfOptionWithoutValue: text,
    isRequired: condition,
    isEnabled: condition,
    choices: list(object({ choice: text, description: text, displayName: text })),
    allowMultipleValues: scalar,
    enableQuotelessLiterals: scalar,
    onlyIf: list(object({ after: text, before: text })),
    forms: object({ global: either(texts, object({ forms: texts, addIdentity: scalar })) }),
    tagName: text,
    value: text,
    evaluator: text,
    valueSource: text,
    valueTransform: text,
    generator: text,
    parameters: map(anything),
    binding: text,
  },
  ["type"],
);

const patterns = { include: texts, exclude: texts, copyOnly: texts, rename: map(text), condition: text };

const operations = object({
  condition: text,
  flagPrefix: text,
  variableFormat: anything,
  operations: list(object({ type: text, condition: text, configuration: map(anything), comment: text }, ["type"])),
});

const postAction = object({
  id: text,
  actionId: text,
  description: text,
  condition: text,
  continueOnError: scalar,
  args: map(anything),
  manualInstructions: list(object({ id: text, text: text, condition: text }, ["text"])),
  applyFileRenamesToArgs: texts,
  applyFileRenamesToManualInstructions: scalar,
});

export const templateShape: Shape = object({
  $schema: text,
  additionalConfigFiles: texts,
  identity: text,
  groupIdentity: text,
  name: text,
  shortName: texts,
  author: text,
  description: text,
  classifications: texts,
  tags: map(text),
  precedence: scalar,
  generatorVersions: text,
  thirdPartyNotices: text,
  sourceName: text,
  defaultName: text,
  preferDefaultName: scalar,
  preferNameDirectory: scalar,
  placeholderFilename: text,
  guids: texts,
  symbols: map(symbol),
  forms: map(
    object({ identifier: text, pattern: text, replacement: text, steps: texts, description: text }, ["identifier"]),
  ),
  sources: list(object({ source: text, target: text, modifiers: list(object(patterns)), ...patterns })),
  primaryOutputs: list(object({ path: text, condition: text }, ["path"])),
  postActions: list(postAction),
  constraints: map(object({ type: text, args: anything }, ["type"])),
  baselines: map(object({ description: text, defaultOverrides: map(text) })),
  globalCustomOperations: operations,
  customOperations: operations,
  specialCustomOperations: map(operations),
});

/** Members for which the engine refuses the template when their type is wrong. It ignores all others. */
export const refused: readonly RegExp[] = [
  /^\/globalCustomOperations$/i,
  /^\/specialCustomOperations\/[^/]*$/i,
  /^\/symbols\/[^/]*\/isRequired$/i,
];
