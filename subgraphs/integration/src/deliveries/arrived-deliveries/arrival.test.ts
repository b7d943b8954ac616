import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { arrivingDelivery, requireAcceptable } from "./arrival.js";

function arrive(headers: Record<string, string | string[]>, providerKey: string | null = "github") {
  const rawHeaders = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => [name, value]),
  );
  const context = requestContext({ principal: undefined, trace: continueTrace(undefined) });
  const input = { providerKey, headers: rawHeaders, path: "/webhooks/deliveries" };
  return () => requireAcceptable(arrivingDelivery(input, context, "https://platform.example"));
}

const json = { "content-type": "application/json" };
const ownMediaType = (version: string) => `application/vnd.service.integration.${version}+json`;
const code = (errorCode: string) => expect.objectContaining({ code: errorCode });

it("takes version 1 of the media type only, in Accept and as the type of the body", () => {
  expect(arrive({ ...json, accept: ownMediaType("v2") })).toThrow(code("NOT_ACCEPTABLE"));
  for (const accept of [ownMediaType("v1"), `${ownMediaType("v2")}, */*`, "text/html"])
    expect(arrive({ ...json, accept })).not.toThrow();
  expect(arrive({ "content-type": ownMediaType("v2") })).toThrow(code("UNSUPPORTED_MEDIA_TYPE"));
  for (const type of [ownMediaType("v1"), "application/cloudevents+json"])
    expect(arrive({ "content-type": type })).not.toThrow();
});

it("refuses a Content-Type that occurs twice", () => {
  for (const providerKey of ["github", null])
    expect(
      arrive({ "content-type": ["application/json", "application/json"], "x-svc-provider": "github" }, providerKey),
    ).toThrow(code("VALIDATION_FAILED"));
});

it("takes gzip as the only encoding of a body", () => {
  for (const encoding of ["gzip", "x-gzip", "GZIP", "identity"])
    expect(arrive({ ...json, "content-encoding": encoding })).not.toThrow();
  for (const encoding of ["br", "deflate", "gzip, gzip", "zstd"])
    expect(arrive({ ...json, "content-encoding": encoding })).toThrow(code("UNSUPPORTED_MEDIA_TYPE"));
});

it("tells a missing signature on the path of the specification only, whatever the provider is", () => {
  for (const provider of ["github", "nobody", "Not a key!"])
    expect(arrive({ ...json, "x-svc-provider": provider }, null)).toThrow(code("SIGNATURE_MISSING"));
  expect(arrive(json, null)).toThrow(code("PROVIDER_HEADER_MISSING"));
  expect(arrive(json)).not.toThrow();
});
