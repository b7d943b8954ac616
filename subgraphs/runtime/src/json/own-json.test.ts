import { parseForeignJson } from "./kept-numbers.js";
import { inexactNumbers } from "./own-json.js";

it("refuses the numbers of a document of ours that JavaScript cannot hold, and no other way to write a number", () => {
  const value = parseForeignJson('{"a":[1.0,1E5,-0,19.90],"b":{"c/d":820982911946154509},"e":1e400}');
  expect(inexactNumbers(value).map(({ pointer }) => pointer)).toEqual(["/b/c~1d", "/e"]);
  expect(inexactNumbers(parseForeignJson("1e-400"))).toHaveLength(1);
});
