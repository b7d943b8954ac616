import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import { ClientError, GraphQLClient, gql } from "graphql-request";
import { Caller } from "./caller.ts";

const caller = await Caller.open();
const client = new GraphQLClient(caller.graphUrl, { headers: caller.headers });

const registration = gql`mutation ($input: RegisterTemplateInput!) { registerTemplate(input: $input) { id name } }`;
const nodeQuery = gql`query ($id: ID!) { node(id: $id) { __typename id ... on Template { name } } }`;

test("graphql-request creates an object and reads it by its id", async () => {
  const { registerTemplate } = await client.request<{ registerTemplate: { id: string; name: string } }>(registration, {
    input: { name: "from-graphql-request" },
  });
  deepEqual(await client.request(nodeQuery, { id: registerTemplate.id }), {
    node: { __typename: "Template", ...registerTemplate },
  });
});

test("graphql-request throws the code of a refused field, with the answers of the other fields", async () => {
  const document = gql`{ me { tenantId } template(templateId: "tpl_unknown") { name } templates { items { id } } }`;
  await rejects(client.request(document), (error) => {
    if (!(error instanceof ClientError)) throw error;
    const { status, data, errors } = error.response;
    const { me, template, templates } = data as Record<string, unknown>;
    equal(status, 200);
    deepEqual(me, { tenantId: caller.tenant.tenantId });
    equal(template, null);
    equal(Array.isArray((templates as { items: unknown }).items), true);
    deepEqual(
      errors?.map(({ path, extensions }) => [path, extensions["code"]]),
      [[["template"], "TEMPLATE_NOT_FOUND"]],
    );
    return true;
  });
});
