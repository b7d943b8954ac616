import { attributeEvaluator, type EvaluatorName, evaluatorFor, evaluatorNamed } from "./evaluate-condition.js";
import { MultiValue, type SymbolValue } from "./symbol-value.js";

const variables = new Map<string, SymbolValue>([
  ["T", true],
  ["F", false],
  ["Text", "Hello"],
  ["Five", 5n],
  ["Half", 0.5],
  ["Many", new MultiValue(["iOS", "Android"])],
  ["Nothing_", null],
  ["Version", "10.2"],
]);

const decide = (name: EvaluatorName, text: string) => evaluatorFor(name, variables)(text);

describe("C++ evaluator", () => {
  it.each<[string, boolean]>([
    [" (T)", true],
    [" (!T)", false],
    ["(T && F)", false],
    [" (T || F)", true],
    [" (F || T && F)", false],
    [" (T ^ T)", false],
    [" ((T && T) || F)", true],
    [" (T && (F || T))", true],
    [" (!(T && F) && T)", true],
    [" (Text == 'hello')", true],
    [' (Text == "Hello")', true],
    [" (Text != 'Hello')", false],
    [" (Text = 'Hello')", true],
    [" (Five == 5)", true],
    [" (Five == 5.0)", false],
    [" (Five == '5')", false],
    [" (Five > 4 && Five <= 5)", true],
    [" (Five >= 6)", false],
    [" (Half < 1)", true],
    [" (0x10 == 16)", true],
    [" (Five & 4)", true],
    [" (Five & 2)", false],
    [" (1 << 3 == 8)", true],
    [" (T == true)", true],
    [" (T == 'true')", false],
    [" (Many == 'ios')", true],
    [" ('Windows' == Many)", false],
    [" (Unknown)", false],
    [" (Unknown == null)", true],
    [" (F == )", false],
    [" (F != )", true],
    [" (Five < )", false],
    [" (Text == 'HELLO')", true],
    [" ('straße' == 'STRASSE')", false],
    [" (Text == 'a b')", false],
    [" (Text != 'say \"hi\"')", true],
    [" T", true],
    [" F", false],
    [" (T) // trailing", true],
    [" (A == B || T)", true],
    ["", false],
  ])("%s is %s", (text, result) => {
    expect(decide("C++", text).value).toBe(result);
  });

  it("reads the first operand only outside parentheses, and says so", () => {
    expect(decide("C++", " T && F")).toMatchObject({ value: true, fault: expect.stringContaining("parentheses") });
    expect(decide("C++", " T -->")).toMatchObject({ value: true, fault: null });
  });

  it("joins parenthesised operands", () => {
    expect(decide("C++", " (T) && (F)")).toMatchObject({ value: false, fault: null });
    expect(decide("C++", " (F) || (T)")).toMatchObject({ value: true, fault: null });
  });

  it.each<[string, boolean]>([
    [" (T) == (T)", false],
    [" (T) != (T)", true],
    [" !(T)", true],
    [" !T", true],
  ])("has nothing to the right of the operator in %s", (text, result) => {
    expect(decide("C++", text).value).toBe(result);
  });

  it("stops at the line end", () => {
    expect(decide("C++", " (T)\nrest")).toMatchObject({ value: true, length: 4 });
  });

  it("counts a text as false and says so", () => {
    expect(decide("C++", " (Text)")).toMatchObject({ value: false, fault: expect.stringContaining("Hello") });
  });
});

describe("C++2 evaluator", () => {
  it.each<[string, boolean]>([
    ["T", true],
    ["!T", false],
    ["T && F", false],
    ["F || T && T", true],
    ["(F || T) && F", false],
    ["Text == 'hello'", true],
    ['(Text == "Hello") && (Five == 5)', true],
    ["Five == '5'", true],
    ["Five == 5.0", true],
    ["T == 'true'", true],
    ["Version > 9.1", true],
    ["Version >= '10.1.5'", true],
    ["Five + 1 == 6", true],
    ["Five * 2 > 9", true],
    ["Five - 1 < 5", true],
    ["Five - 1 + 1 == 3", true],
    ["Five != 6 == 'x'", true],
    ["Five + 2 * 3 == 11", true],
    ["Many == 'Android'", true],
    ["Many != 'Windows'", true],
    ["Text == Hello", true],
    ["Text != ''", true],
    ["Nothing_ == null", true],
    ["!F && !F", true],
    ["!(F || F)", true],
    ["Five", true],
    ["T junk", true],
    ["T == 1", true],
    ["T (F)", true],
    ["!!T && F", true],
    ["!T && F", false],
    ["F && Five == 6 || T", false],
    ["F == 1", false],
    ["T > 0", true],
    ["T + 1 == 2", true],
    ["Five == 'true'", true],
    ["Nothing_ == 'anything'", true],
    ["Nothing_ == Many", false],
    ["Many == 5", false],
    ["Many != T", true],
    ["Text == null", true],
    ["null == T", true],
    ["Nothing_ != null", false],
    ["Five < null", false],
    ["Five >= null", true],
    ["Text == 'HELLO'", true],
    ["Text == 'straße'", false],
    ["'straße' == 'STRASSE'", false],
    ["'STRAßE' == 'straße'", true],
    ["'ı' == 'I'", false],
    ["'1.10' > '1.9'", false],
    ["'1.1.10' > '1.1.9'", true],
  ])("%s is %s", (text, result) => {
    expect(decide("C++2", text)).toMatchObject({ value: result, fault: null });
  });

  it.each([
    "F ==",
    "== F",
    "T !=",
    "Five <",
    "Five >=",
    "Nothing_ ==",
    "F == == T",
    "Five + == 5",
    "() == F",
    "F == ()",
  ])("is false where an operand is missing: %s", (text) => {
    expect(decide("C++2", text)).toMatchObject({ value: false, fault: "an operand is missing" });
  });

  it.each(["", "1", "Text", "T &&", ")", "T 'x'", "T && 'x'", "T == 'x'", "Five < 'x'"])("cannot decide %j", (text) => {
    expect(decide("C++2", text)).toMatchObject({ value: false, fault: expect.any(String) });
  });
});

describe("Visual Basic evaluator", () => {
  it.each<[string, boolean]>([
    ["(T)", true],
    ["Not T", false],
    ["T And F", false],
    ["T AndAlso T", true],
    ["F OrElse T", true],
    ["T Xor T", false],
    ['Text = "hello"', true],
    ['Text <> "hello"', false],
    ["Five > 4", true],
    ["Nothing_ = 'Nothing'", true],
    ["Text = 'Nothing'", true],
    ["Text <> 'Nothing'", false],
  ])("%s is %s", (text, result) => {
    expect(decide("VB", text)).toMatchObject({ value: result, fault: null });
  });

  it.each(["(F == true)", "(T == true)", "(Nothing_ == 'Nothing')", "F =", "F <>", "Five <"])(
    "is false where an operand is missing, as in C's spelling of equality: %s",
    (text) => {
      expect(decide("VB", text)).toMatchObject({ value: false, fault: "an operand is missing" });
    },
  );
});

describe("MSBuild evaluator", () => {
  const attribute = attributeEvaluator(variables);

  it.each<[string, boolean]>([
    ["'$(Text)' == 'Hello'", true],
    ["'$(T)' == 'true' AND '$(F)' == 'true'", false],
    ["'$(T)' == 'true' OR '$(F)' == 'true'", true],
    ["$(T)", true],
    ["!$(F)", true],
    ["'$(Text)|$(Five)' == 'Hello|5'", true],
    ["'$(Five)' &gt; '4'", true],
    ["'a &amp; b' == 'a &amp; b'", true],
  ])("%s is %s", (text, result) => {
    expect(attribute(text)).toMatchObject({ value: result, fault: null });
  });

  it.each(["$(F) ==", "== '$(F)'", "$(F) !=", "$(Five) &lt;", "$(F) == == 'true'"])(
    "is false where an operand is missing: %s",
    (text) => {
      expect(attribute(text)).toMatchObject({ value: false, fault: "an operand is missing" });
    },
  );

  it("leaves other properties alone", () => {
    expect(attribute("'$(Configuration)' == 'Debug'").fault).not.toBeNull();
    expect(attribute("$(Configuration.StartsWith('x'))").fault).not.toBeNull();
  });
});

describe("evaluator names", () => {
  it.each([
    ["c++", "C++"],
    ["C++2", "C++2"],
    ["msbuild", "MSBUILD"],
    ["vb", "VB"],
    [null, "C++2"],
    ["", "C++2"],
    ["pascal", undefined],
  ])("%s is %s", (name, evaluator) => {
    expect(evaluatorNamed(name, "C++2")).toBe(evaluator);
  });
});
