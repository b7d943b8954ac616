import { readFileSync } from "node:fs";
import { type FragmentDefinitionNode, Kind, parse, type SelectionNode, type SelectionSetNode } from "graphql";

/** Beside the sources, since `dist` does not hold the documents. */
export const fragmentsFolder = new URL("../../src/operations/fragments/", import.meta.url);

const fragments = new Map<string, FragmentDefinitionNode>();

/** The fragment in a file. Throws when the file does not hold exactly that fragment. */
export function loadFragment(name: string): FragmentDefinitionNode {
  const loadedFragment = fragments.get(name);
  if (loadedFragment) return loadedFragment;
  const { definitions } = parse(readFileSync(new URL(`${name}.graphql`, fragmentsFolder), "utf8"), {
    noLocation: true,
  });
  const [definition, ...others] = definitions;
  if (definition?.kind !== Kind.FRAGMENT_DEFINITION || others.length > 0 || definition.name.value !== name)
    throw new Error(`fragments/${name}.graphql must hold exactly the fragment ${name}`);
  fragments.set(name, definition);
  return definition;
}

/** The selections with each spread replaced by its fragment's selections, in their place. */
export function withFragments(set: SelectionSetNode): SelectionSetNode {
  return { ...set, selections: set.selections.flatMap(expanded) };
}

function expanded(selection: SelectionNode): readonly SelectionNode[] {
  if (selection.kind === Kind.FRAGMENT_SPREAD)
    return withFragments(loadFragment(selection.name.value).selectionSet).selections;
  return [selection.selectionSet ? { ...selection, selectionSet: withFragments(selection.selectionSet) } : selection];
}
