import { InputProblems } from "../../ground/input-problems/input-problems.js";
import type { LibraryCapability } from "./library.entity.js";
import type { ChangeLibraryCapabilitiesInput } from "./library.input.js";
import { storedCapability } from "./library-writing.js";

/** As many as a registration may name. */
const maxCapabilities = 100;

/**
 * The capabilities after a change, in their order; new ones come last. Capabilities are told apart by their names.
 * Throws LIBRARIES_INVALID.
 */
export function changedCapabilities(
  before: readonly LibraryCapability[],
  { set, remove }: ChangeLibraryCapabilitiesInput,
): LibraryCapability[] {
  const problems = new InputProblems("LIBRARIES_INVALID");
  const changes = new Map<string, Required<LibraryCapability>>();
  for (const [index, capability] of (set ?? []).entries()) {
    if (changes.has(capability.name))
      problems.add(
        `/set/${index}/name`,
        "DUPLICATE",
        `The capability ${capability.name} is listed twice. List it once.`,
      );
    changes.set(capability.name, storedCapability(capability));
  }
  const offeredNames = new Set(before.map(({ name }) => name));
  for (const [index, name] of (remove ?? []).entries()) {
    if (changes.has(name))
      problems.add(`/remove/${index}`, "DUPLICATE", `The capability ${name} is set and removed. Do one of them.`);
    else if (!offeredNames.has(name))
      problems.add(`/remove/${index}`, "UNKNOWN_VALUE", `The library has no capability ${name}.`);
  }
  const keptCapabilities = before
    .filter(({ name }) => remove?.includes(name) !== true)
    .map((capability) => changes.get(capability.name) ?? storedCapability(capability));
  const addedCapabilities = [...changes.values()].filter(({ name }) => !offeredNames.has(name));
  const capabilities = [...keptCapabilities, ...addedCapabilities];
  if (capabilities.length > maxCapabilities)
    problems.add(
      "/set",
      "UNSUPPORTED",
      `The library would have ${capabilities.length} capabilities. A library has at most ${maxCapabilities}.`,
    );
  problems.refuse("The capabilities cannot be changed. See errors for each value that must change.");
  return capabilities;
}
