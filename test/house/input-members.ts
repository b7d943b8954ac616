import { readFile } from "node:fs/promises";
import { parseSync, Visitor } from "oxc-parser";
import { type Import, importGraph } from "./import-graph.js";
import { isForTests, root, trackedFiles } from "./tracked-files.js";

/** An input type's member, in the class that declares it. */
interface InputMember {
  readonly file: string;
  readonly type: string;
  readonly name: string;
}

const drivers = "subgraphs/integration/src/providers/provider-drivers/";

/** Inputs that are stored as they are. Their readers know the stored value's type. */
const storedAs: Readonly<Record<string, readonly string[]>> = {
  [`${drivers}provider-driver.input.ts`]: [`${drivers}provider-driver.ts`],
  [`${drivers}signature-scheme.input.ts`]: [
    "subgraphs/integration/src/providers/inbound-signatures/signature-scheme.ts",
  ],
  [`${drivers}webhook-values.input.ts`]: [`${drivers}provider-driver.ts`, `${drivers}vendor-report.ts`],
};

/** How many imports lie between a file that knows an input and one that reads its members. */
const reach = 2;

/** The members of a file's input types. */
export function membersOf(file: string, source: string): InputMember[] {
  const members: InputMember[] = [];
  new Visitor({
    ClassDeclaration: ({ id, decorators, body }) => {
      const isInput = decorators.some(({ expression }) => {
        const callee = expression.type === "CallExpression" ? expression.callee : expression;
        return callee.type === "Identifier" && callee.name === "InputType";
      });
      if (!isInput || !id) return;
      for (const member of body.body)
        if (member.type === "PropertyDefinition" && member.key.type === "Identifier" && !member.static)
          members.push({ file, type: id.name, name: member.key.name });
    },
  }).visit(parseSync(file, source).program);
  return members;
}

/**
 * The member names that a file reads: `input.name`, `{ name } = input`, `filters: { name: … }`, and the text "name".
 */
export function readNames(file: string, source: string): Set<string> {
  const names = new Set<string>();
  new Visitor({
    MemberExpression: ({ property, computed }) => {
      if (!computed && property.type === "Identifier") names.add(property.name);
    },
    ObjectPattern: ({ properties }) => {
      for (const property of properties)
        if (property.type === "Property" && property.key.type === "Identifier") names.add(property.key.name);
    },
    // a list's filters are data
    Property: ({ key, value }) => {
      if (key.type !== "Identifier" || key.name !== "filters" || value.type !== "ObjectExpression") return;
      for (const filter of value.properties)
        if (filter.type === "Property" && filter.key.type === "Identifier") names.add(filter.key.name);
    },
    Literal: ({ value }) => {
      if (typeof value === "string") names.add(value);
    },
  }).visit(parseSync(file, source).program);
  return names;
}

/** The files that may read a file's inputs: those that import it or its stored value's type, and what these import. */
function readersOf(file: string, imports: readonly Import[]): Set<string> {
  const types = [file, ...(storedAs[file] ?? [])];
  const readers = new Set(imports.filter(({ to }) => types.includes(to)).map(({ from }) => from));
  for (let step = 0; step < reach; step++) {
    const next = imports.filter(({ from }) => readers.has(from));
    for (const { to } of next) readers.add(to);
  }
  return new Set([...readers].filter((reader) => !isForTests(reader) && !reader.endsWith(".input.ts")));
}

/** Members of input types that no file reads, in all subgraphs. */
export async function unreadMembers(): Promise<{ members: InputMember[]; unread: InputMember[] }> {
  const files = trackedFiles().filter((file) => file.startsWith("subgraphs/") && file.endsWith(".ts"));
  const imports = await importGraph(root, files);
  const namesByFile = new Map<string, Set<string>>();
  const namesIn = async (file: string): Promise<Set<string>> => {
    const names = namesByFile.get(file) ?? readNames(file, await readFile(root + file, "utf8"));
    namesByFile.set(file, names);
    return names;
  };
  const members: InputMember[] = [];
  const unread: InputMember[] = [];
  for (const file of files.filter((name) => name.endsWith(".input.ts"))) {
    const fileMembers = membersOf(file, await readFile(root + file, "utf8"));
    const nameSets = await Promise.all([...readersOf(file, imports)].map(namesIn));
    members.push(...fileMembers);
    unread.push(...fileMembers.filter(({ name }) => !nameSets.some((names) => names.has(name))));
  }
  return { members, unread };
}
