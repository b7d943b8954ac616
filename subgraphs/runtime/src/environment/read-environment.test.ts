import { z } from "zod";
import { EnvironmentError, flag, port, readEnvironment } from "./read-environment.js";

const schema = z.object({ PORT: port(4000), PUBLIC_URL: z.url().optional(), DEBUG: flag.default(false) });

describe("readEnvironment", () => {
  it("gives defaults for absent and empty variables", () => {
    expect(readEnvironment(schema, { PORT: "", OTHER: "x" })).toEqual({ PORT: 4000, DEBUG: false });
  });

  it("names every problem at once", () => {
    const readInvalid = () => readEnvironment(schema, { PORT: "high", PUBLIC_URL: "nowhere", DEBUG: "perhaps" });
    expect(readInvalid).toThrow(EnvironmentError);
    expect(readInvalid).toThrow(/PORT[^]*PUBLIC_URL[^]*DEBUG/);
  });

  it.each(["high", "80.5", "-1", "65536"])("says in one sentence what a port must be: %s", (PORT) => {
    expect(() => readEnvironment(schema, { PORT })).toThrow(
      /^The environment variables are not valid: PORT: must be a whole number from 0 to 65535$/,
    );
  });
});
