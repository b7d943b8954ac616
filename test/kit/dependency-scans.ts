import { graphql } from "./request.js";

/** Scans the dependencies of a template version, and returns the id of the scan. */
export async function aScanId(token: string, templateVersionId: string): Promise<string> {
  const { body } = await graphql<{ scanDependencies: { dependencyScanId: string } }>(
    `mutation { scanDependencies(input: { templateVersionId: "${templateVersionId}" }) { dependencyScanId } }`,
    { token },
  );
  return body.data.scanDependencies.dependencyScanId;
}
