import { readdir, readFile } from "node:fs/promises";
import { type EventType, eventTypes } from "@factory/schema/event-names";

const introduction = `# Events of this release

Made by \`npm run schema\` from the JSON Schemas in this folder. Do not edit.

A schema for each event type describes the \`data\` of its events. \`envelope.schema.json\` describes the other members. Members may be added within a major version, so consumers ignore members that they do not know.

`;

const explanation = `
- \`subject\` names the resource of an event as \`<resource>/<id>\`. In the \`events\` subscription, the field \`subject\` is the current state of that resource, if it still exists and its type is a keyed type. If the path has several segments, it is the innermost keyed type: for RoleAssigned, the role. Commands, mails, plan subscriptions and signing keys are not keyed types, so \`subject\` is null for them.
- An event is written to the log of its tenant (\`tenantid\`). \`schema/event-names.ts\` lists the scopes that may read it.
`;

/** The text for `schema/events/catalogue.md`: each event with the subgraph that records it and its description. */
export async function eventCatalogue(folder: URL): Promise<string> {
  const suffix = ".schema.json";
  const names = (await readdir(folder)).filter((file) => file.endsWith(suffix)).map((file) => file.replace(suffix, ""));
  const rows = Object.keys(eventTypes)
    .filter((type) => names.includes(type))
    .map(async (type) => {
      const schema = JSON.parse(await readFile(new URL(`${type}${suffix}`, folder), "utf8")) as { description: string };
      return `| ${type} | ${eventTypes[type as EventType].source} | ${schema.description} |\n`;
    });
  return `${introduction}| Event | Producer | Meaning |\n|---|---|---|\n${(await Promise.all(rows)).join("")}${explanation}`;
}
