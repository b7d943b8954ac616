import { aSmallPack } from "../kit/packs.js";
import { graphql } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

interface Validated {
  validateTemplateVersion: { outcome: string; findings: { severity: string; code: string }[] };
}

const document = `mutation ($templateId: ID!, $input: ValidateTemplateVersionInput!) {
  validateTemplateVersion(templateId: $templateId, input: $input) { outcome findings { severity code } } }`;

describe("validateTemplateVersion", () => {
  it("returns findings of severity Info only on request", async () => {
    const token = await (await aTenant()).tokenWith();
    const source = await aTemplateSource(aSmallPack({ config: { author: undefined } }));
    const { templateId, templateVersionId } = await aTemplateVersion(token, source);
    const validate = async (includeInfo?: boolean) => {
      const variables = { templateId, input: { templateVersionId, includeInfo } };
      return (await graphql<Validated>(document, { token, variables })).body.data.validateTemplateVersion;
    };
    expect(await validate()).toEqual({ outcome: "Passed", findings: [] });
    const validation = await validate(true);
    expect(validation.outcome).toBe("PassedWithWarnings");
    expect(new Set(validation.findings.map(({ severity }) => severity))).toEqual(new Set(["Info"]));
    expect(validation.findings.map(({ code }) => code)).toContain("MissingAuthor");
  });
});
