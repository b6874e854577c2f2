import { stripTypeScriptTypes } from "node:module";
import { expect, test } from "vitest";
import { instrument } from "./instrument.ts";

const options = { firstId: 7, switchPath: "switch.ts" };

test.for([
  ["a < b", ["a < b → a <= b", "a < b → a >= b"]],
  ["a && b", ["a && b → (a) || (b)"]],
  ["a ?? b", ["a ?? b → a"]],
  ["a?.b.c", ["a?.b.c → a.b.c"]],
  ["a?.[b]?.(c)", ["a?.[b]?.(c) → a[b]?.(c)", "a?.[b]?.(c) → a?.[b](c)"]],
  ["!a", ["!a → a"]],
  ["a - b", ["a - b → a + b"]],
  ["a + `b`", ['`b` → ""']],
  ["true", ["true → false"]],
  ["1", ["1 → 2"]],
  ['"a"', ['"a" → ""']],
  ['""', ['"" → "mutant"']],
  ["[a]", ["[a] → []"]],
  ["a ? b : c", ["a → true", "a → false"]],
  ["a.filter(b)", ["a.filter(b) → a"]],
  ["a.some(b)", ["a.some(b) → a.every(b)"]],
  ["and(a)", ["and(a) → drizzle.or(a)"]],
  [
    `sql\`a and \${b + c} < 1\``,
    [
      `sql\`a and \${b + c} < 1\` → sql\`a or \${b + c} < 1\``,
      `sql\`a and \${b + c} < 1\` → sql\`a and \${b + c} <= 1\``,
      "b + c → b - c",
    ],
  ],
  ["a as unknown as { b: 'c' }", []],
  ["{ 'a-b': c }", []],
  ['new TypeError("it is wrong")', []],
] as [string, string[]][])("%s has its mutants", ([code, changes]) => {
  const { mutants } = instrument("a.ts", `const found = ${code};`, options);
  expect(mutants.map(({ change }) => change)).toEqual(changes);
});

const source = `
function play(): string {
  const said: string[] = [];
  const say = (word: string, other?: { name: string }) => {
    said.push(word);
    if (word > "b") said.push(other?.name ?? "none");
  };
  for (const word of ["a", "c"].filter((one) => one !== "d")) say(word);
  return said.join(" ");
}`;

/** The result of the function with that mutant, or with none. */
function playWith(change: string | undefined): unknown {
  const { code, mutants } = instrument("a.ts", source, options);
  const id = mutants.find((one) => one.change === change)?.id;
  const script = stripTypeScriptTypes(code.replace(/^import.*?void drizzle;/, ""));
  return new Function("isMutant", `${script}\nreturn play();`)((one: number) => one === id);
}

test.for([
  [undefined, "a c none"],
  ['word > "b" → word <= "b"', "a none c"],
  ['word > "b" → true', "a none c none"],
  ["said.push(word); → nothing", "none"],
  ['["a", "c"] → []', ""],
  ['said.join(" ") → undefined', undefined],
] as const)("only the mutant that is chosen runs: %s", ([change, result]) => {
  expect(playWith(change)).toBe(result);
});

test("a mutant has the line of its code", () => {
  const { mutants } = instrument("a.ts", source, options);
  expect(mutants.find(({ change }) => change.startsWith("other?.name ??"))).toEqual({
    ...{ id: expect.any(Number), file: "a.ts", line: 6 },
    code: 'if (word > "b") said.push(other?.name ?? "none");',
    change: 'other?.name ?? "none" → other?.name',
  });
});

test("mutants have the numbers from the first one on", () => {
  const { mutants } = instrument("a.ts", source, options);
  expect(mutants.map(({ id }) => id)).toEqual(mutants.map((_, at) => at + 7));
});
