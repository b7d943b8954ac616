import { graphql } from "./request.js";

/** Scans a set with one library. The scan's event is about the scan itself. */
export async function scannedSet(token: string): Promise<void> {
  const set = '{ runtime: "net8.0", libraries: [{ packageName: "Scanned", version: "1.0.0" }] }';
  const { body } = await graphql(`mutation { scanDependencies(input: ${set}) { complete } }`, { token });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
}

/** Scans a template version's dependencies, and returns the scan's id. */
export async function aScanId(token: string, templateVersionId: string): Promise<string> {
  const { body } = await graphql<{ scanDependencies: { dependencyScanId: string } }>(
    `mutation { scanDependencies(input: { templateVersionId: "${templateVersionId}" }) { dependencyScanId } }`,
    { token },
  );
  return body.data.scanDependencies.dependencyScanId;
}
