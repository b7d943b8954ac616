const depths = [1, 5, 20, 33, 60, 200];

/** A document that is short but may be expensive to process. Every document is different. */
export function hostileDocument(random: () => number): string {
  const shape = shapes[Math.floor(random() * shapes.length)] ?? plain;
  const depth = depths[Math.floor(random() * depths.length)] ?? 1;
  return `${shape(depth, random)} # ${Math.floor(random() * 1e9)}`;
}

type Shape = (depth: number, random: () => number) => string;

const lists = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
const objects = (depth: number) => `${"{a:".repeat(depth)}1${"}".repeat(depth)}`;
const preview = (parameters: string) =>
  `previewExecution(templateId:"x", input:{templateVersionId:"y", target:{repository:"a/b"}, parameters:{a:${parameters}}}) { truncated }`;

const plain: Shape = (_, random) => `{ alias${Math.floor(random() * 1e9)}: __typename }`;

const shapes: readonly Shape[] = [
  plain,
  (depth) => `{ ${preview(lists(depth))} }`,
  (depth) => `{ ${preview(objects(depth))} }`,
  (depth) => `query ($p: JSON = ${lists(depth)}) { ${preview("$p")} }`,
  (depth) => `query ($p: JSON) { ${preview(`[$p, ${lists(depth)}]`)} }`,
  (depth) => `{ templates { items { ${"allVersions { templateVersionId } ".repeat(depth)} } } }`,
  (depth) => `{ ${Array.from({ length: depth }, (_, place) => `a${place}: templates { nextCursor }`).join(" ")} }`,
  (depth) => `{ templates { items { ${"... on Template { ".repeat(depth)} name ${"} ".repeat(depth)} } } }`,
  (depth) =>
    `{ ...f0 } ${Array.from({ length: depth }, (_, place) => `fragment f${place} on Query { ...f${place + 1} ...f${place + 1} }`).join(" ")} fragment f${depth} on Query { __typename }`,
  (depth) => `{ templates { items { name ${"@include(if: true) ".repeat(depth)} } } }`,
  (depth) => `${Array.from({ length: depth }, (_, place) => `query q${place} { __typename }`).join(" ")}`,
  (depth) => `{ __schema { types { fields { type ${"{ ofType ".repeat(depth)} { name } ${"} ".repeat(depth)} } } } }`,
  (depth) => `{ templates(limit: ${"9".repeat(depth)}) { nextCursor } }`,
  (depth) => `{ ${"(".repeat(depth)}`,
];
