/** Checks that `npm test` tests every room, and every measure of SECURITY.md: that not only the long tier does. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CallExpression, type Expression, parseSync, Visitor } from "oxc-parser";

/** Folders outside of src that have tests of their own. */
const otherRooms = ["cli", "client", "console", "examples", "mcp", "schema", "site"];

/** Returns the rooms without a quick test, and the lines of SECURITY.md that name none. */
export function tierBreaches(root: string, files: string[]): string[] {
  const textOf = (path: string) => readFileSync(join(root, path), "utf8");
  const quick = files.filter(
    (path) => /^test\/.*\.test\.ts$/.test(path) && hasQuickTest(path, textOf(path)),
  );
  const domains = readdirSync(join(root, "src"), { withFileTypes: true });
  const rooms = [
    ...domains.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    ...otherRooms,
  ];
  return [
    ...rooms
      .filter((room) => !quick.some((path) => path.startsWith(`test/${room}/`)))
      .map((room) => `test/${room} has no test of the quick tier`),
    ...measureBreaches("SECURITY.md", textOf("SECURITY.md"), quick),
  ];
}

/** Returns the rows of the tables of attacks and measures whose last cell names no quick test. */
export function measureBreaches(path: string, text: string, quick: string[]): string[] {
  const lines = text.split("\n");
  const first = lines.indexOf("## Attackers and measures");
  const end = lines.findIndex((line, index) => index > first && line.startsWith("## "));
  return lines.flatMap((line, index) => {
    if (index < first || index > end || !/^\| [^-]/.test(line) || /\| Test \|$/.test(line))
      return [];
    const cell = line.split("|").at(-2) ?? "";
    const named = [...cell.matchAll(/`(test\/[^`]+)`/g)].map(([, name = ""]) => name);
    const isQuick = named.some((name) =>
      quick.some((file) => file === name || file.startsWith(`${name}/`)),
    );
    return isQuick ? [] : [`${path}:${index + 1}: the last cell names no test of the quick tier`];
  });
}

type Argument = CallExpression["arguments"][number];

/**
 * Whether a file declares a test that neither it, nor a `describe` around it, nor the file marks as long. Of the tests
 * in a browser the quick tier runs a sample, so none of them counts.
 */
export function hasQuickTest(path: string, text: string): boolean {
  const { program, comments } = parseSync(path, text);
  if (comments.some(({ value }) => /@module-tag long\b/.test(value))) return false;
  let depth = 0;
  let hasQuick = false;
  const isLong = (call: CallExpression) =>
    declared(call) === "describeInChromium" || call.arguments.some(marks);
  const isBlock = (call: CallExpression) => declared(call)?.startsWith("describe") ?? false;
  new Visitor({
    CallExpression: (call) => {
      if (isBlock(call) && isLong(call)) depth += 1;
      if (depth === 0 && declared(call) === "test" && !isLong(call)) hasQuick = true;
    },
    "CallExpression:exit": (call) => {
      if (isBlock(call) && isLong(call)) depth -= 1;
    },
  }).visit(program);
  return hasQuick;
}

/** Whether an argument is `long` of test/world/tiers.ts, or contains it. */
function marks(argument: Argument): boolean {
  if (argument.type === "Identifier") return argument.name === "long";
  if (argument.type !== "ObjectExpression") return false;
  return argument.properties.some(
    (property) => property.type === "SpreadElement" && marks(property.argument),
  );
}

/** The function that a call declares tests with: `test` in `test(…)`, `test.skipIf(…)(…)` and `test.for(…)(…)`. */
function declared({ callee, arguments: parameters }: CallExpression): string | undefined {
  const isDeclaration = parameters.some(
    ({ type }) => type === "ArrowFunctionExpression" || type === "FunctionExpression",
  );
  let inner: Expression = callee as Expression;
  while (inner.type === "CallExpression" || inner.type === "MemberExpression")
    inner = (inner.type === "CallExpression" ? inner.callee : inner.object) as Expression;
  return isDeclaration && inner.type === "Identifier" ? inner.name : undefined;
}
