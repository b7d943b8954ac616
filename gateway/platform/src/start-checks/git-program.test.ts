import { platformEnvironment } from "../settings/environment.js";
import { gitProgram } from "./git-program.js";

const environment = platformEnvironment({});

describe("the program git", () => {
  const path = process.env["PATH"];
  afterEach(() => {
    process.env["PATH"] = path;
  });

  it("is found in PATH, or else named with the way out", async () => {
    expect(await gitProgram(environment)).toBeUndefined();
    process.env["PATH"] = "/nowhere";
    expect(await gitProgram(environment)).toBe(
      "The program git was not found. Install git, or add its folder to PATH.",
    );
  });
});
