import fastify from "fastify";

/** Where the plugin serves the viewer's script, below its own prefix. */
const address = "/js/scalar.js";

/** The script of Scalar's viewer, which its plugin for fastify holds as text. */
export async function viewerScript(): Promise<string> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const app = fastify();
  await app.register(scalar, { routePrefix: "/", configuration: { content: {} } });
  const { statusCode, payload } = await app.inject(address);
  await app.close();
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference does not serve ${address} any more`);
  // the map is not served
  return payload.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
}
