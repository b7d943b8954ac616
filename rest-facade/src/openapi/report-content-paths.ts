import { idPattern } from "@factory/schema/id-members";
import { apiVersion } from "../http/match-version.js";
import { reportContentRoute } from "../routes/report-content.routes.js";
import { endpointOf } from "../routes/route.js";
import { refusalsOf } from "./refusals.js";
import { securityOf } from "./security.js";

type Member = Record<string, unknown>;

const { method, path } = endpointOf(reportContentRoute.at);

const text = { type: "string" };
const mediaTypes = [
  ...["text/csv", "application/json", "application/pdf"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
];
const bytes = Object.fromEntries(mediaTypes.map((type) => [type, { schema: { ...text, format: "binary" } }]));

const contentHeaders = {
  "content-disposition": { schema: text, description: "The name of the file." },
  "repr-digest": { schema: text, description: "The SHA-256 of the whole content (RFC 9530)." },
  etag: { schema: text, description: "The SHA-256 of the whole content." },
  "accept-ranges": { schema: text },
};

const inHeader = (name: string, description: string, schema: object = text) => ({
  ...{ name, in: "header", required: false, schema },
  description,
});

const operation: Member = {
  operationId: "reportRunContent",
  summary: "Download the content of a report run",
  description:
    "The content of a Completed report run, whole or in one range. The content of some reports needs further scopes: those that the report definition names in `contentScopes`.",
  parameters: [
    {
      ...{ name: "reportRunId", in: "path", required: true, schema: { ...text, pattern: idPattern("run") } },
      description: "The id of the report run.",
    },
    inHeader("api-version", "Default: the newest version of /v1.", { ...text, enum: ["1", apiVersion] }),
    inHeader("Range", "One range of bytes, for example `bytes=0-1023`."),
    inHeader("If-Range", "The entity tag of the content of which an earlier part was read."),
    inHeader("If-None-Match", "The ETag of an earlier answer."),
  ],
  responses: {
    "200": { description: "The whole content.", headers: contentHeaders, content: bytes },
    "206": {
      description: "The part that `Range` names.",
      headers: { ...contentHeaders, "content-range": { schema: text } },
      content: bytes,
    },
    "304": { description: "Not modified.", headers: { etag: contentHeaders.etag } },
    ...refusalsOf({ method, path, withToken: true, further: ["409", "410", "416"] }),
  },
};

/** The endpoint for a report run's content. It is described by hand, since its body is not JSON. */
export const reportContentPaths: Record<string, Record<string, Member>> = {
  [path]: {
    [method.toLowerCase()]: {
      ...operation,
      tags: ["spine"],
      security: securityOf(reportContentRoute.scopes),
    },
  },
};
