/** The changes of the mutants. Each operator takes a node of the syntax tree, and returns other texts for it. */
import type { Node } from "oxc-parser";

/** The node, the text of any node, and whether the node is part of an error that is thrown. */
export type Place = { node: Node; text: (node: Node) => string; isError: boolean };

const binary: Record<string, string[]> = {
  ...{ "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"] },
  ...{ "===": ["!=="], "!==": ["==="], "==": ["!="], "!=": ["=="] },
  ...{ "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "**": ["*"] },
  ...{ "&": ["|"], "|": ["&"], "^": ["&"], "<<": [">>"], ">>": ["<<"], ">>>": ["<<"] },
};

/** Calls of a method that become a call of another one. */
const otherMethods = new Map(
  Object.entries({
    ...{ some: "every", every: "some", min: "max", max: "min" },
    ...{ startsWith: "endsWith", endsWith: "startsWith" },
  }),
);

/** Calls of a method that become the object itself. */
const leftOut = new Set([
  ...["filter", "sort", "toSorted", "reverse", "slice"],
  ...["trim", "toLowerCase", "toUpperCase"],
]);

/** Calls of a function that become a call of another one: the conditions of drizzle. */
const otherFunctions = new Map(
  Object.entries({
    ...{ and: "or", or: "and", eq: "ne", ne: "eq", asc: "desc", desc: "asc" },
    ...{ gt: "gte", gte: "gt", lt: "lte", lte: "lt" },
  }),
);

/** Words and signs of SQL, and what a mutant has in their place. */
const sqlWords: [RegExp, string][] = [
  [/ and /g, " or "],
  [/ or /g, " and "],
  [/ not /g, " "],
  [/ desc\b/g, ""],
  [/ < /g, " <= "],
  [/ <= /g, " < "],
  [/ > /g, " >= "],
  [/ >= /g, " > "],
  [/ = /g, " <> "],
  [/ <> /g, " = "],
  [/ \+ /g, " - "],
  [/\bmin\(/g, "max("],
  [/\bmax\(/g, "min("],
];

/** The texts of an expression in its mutants. */
export function changesOf({ node, text, isError }: Place): string[] {
  switch (node.type) {
    case "Literal":
      return changesOfLiteral(node.value, isError);
    case "TemplateLiteral":
      return isMessage(text(node).slice(1), isError) ? [] : ['""'];
    case "TaggedTemplateExpression":
      return text(node.tag).startsWith("sql")
        ? changesOfSql(text(node), text(node.tag).length)
        : [];
    case "BinaryExpression": {
      // Text has no minus.
      if (node.operator === "+" && [node.left, node.right].some(isText)) return [];
      const operators = binary[node.operator] ?? [];
      return operators.map((other) => `${text(node.left)} ${other} ${text(node.right)}`);
    }
    case "LogicalExpression": {
      if (node.operator === "??") return [text(node.left)];
      const other = node.operator === "&&" ? "||" : "&&";
      return [`(${text(node.left)}) ${other} (${text(node.right)})`];
    }
    case "UnaryExpression":
      return { "!": [text(node.argument)], "-": [text(node.argument)] }[node.operator as "!"] ?? [];
    case "UpdateExpression":
      return [text(node).replace(/\+\+|--/, (sign) => (sign === "++" ? "--" : "++"))];
    case "AssignmentExpression": {
      const other = { "+=": "-=", "-=": "+=", "??=": "=", "&&=": "=", "||=": "=" }[
        node.operator as "+="
      ];
      return other ? [`${text(node.left)} ${other} ${text(node.right)}`] : [];
    }
    case "ArrayExpression":
      return node.elements.length > 0 ? ["[]"] : [];
    case "ChainExpression":
      return optionalParts(node.expression).map(({ end }) => {
        const whole = text(node);
        const at = whole.indexOf("?.", end - node.start);
        const isName = /[\w$#]/.test(whole.charAt(at + 2));
        return `${whole.slice(0, at)}${isName ? "." : ""}${whole.slice(at + 2)}`;
      });
    case "CallExpression":
      return changesOfCall(node, text);
    default:
      return [];
  }
}

/** The part before each `?.` of a chain. */
function optionalParts(node: Node): Node[] {
  if (node.type === "TSNonNullExpression") return optionalParts(node.expression);
  if (node.type !== "MemberExpression" && node.type !== "CallExpression") return [];
  const before = node.type === "MemberExpression" ? node.object : node.callee;
  return [...optionalParts(before), ...(node.optional ? [before] : [])];
}

function changesOfLiteral(value: unknown, isError: boolean): string[] {
  if (typeof value === "boolean") return [String(!value)];
  if (typeof value === "number") return [String(value + 1)];
  if (typeof value === "bigint") return [`${value + 1n}n`];
  if (typeof value !== "string" || isMessage(value, isError)) return [];
  return [value === "" ? '"mutant"' : '""'];
}

/** True for text that only people read: a text of several words in an error, or a sentence that is not SQL. */
const isMessage = (text: string, isError: boolean) =>
  isError
    ? /\s/.test(text)
    : /(?:\b[a-z']+,? ){3}/i.test(text) &&
      !/^\W*(?:select|insert|update|delete|with|from|and|or|where|order|case|exists|not)\b/i.test(
        text,
      );

const isText = ({ type, ...node }: Node) =>
  type === "TemplateLiteral" ||
  (type === "Literal" && typeof (node as { value: unknown }).value === "string");

function changesOfCall(node: Node & { type: "CallExpression" }, text: Place["text"]): string[] {
  const { callee } = node;
  const given = text(node).slice(callee.end - node.start);
  if (callee.type === "Identifier") {
    const other = otherFunctions.get(callee.name);
    return other && node.arguments.length > 0 ? [`drizzle.${other}${given}`] : [];
  }
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return [];
  const { name } = callee.property;
  const other = otherMethods.get(name);
  if (other) return [`${text(callee.object)}.${other}${given}`];
  return leftOut.has(name) ? [text(callee.object)] : [];
}

/** One change of each word and sign outside of `${…}`. */
function changesOfSql(whole: string, begin: number): string[] {
  return sqlWords.flatMap(([word, other]) =>
    [...whole.matchAll(word)]
      .filter(({ index }) => index > begin && !isInsideValue(whole, index))
      .map(
        ({ index, 0: found }) => whole.slice(0, index) + other + whole.slice(index + found.length),
      ),
  );
}

function isInsideValue(whole: string, at: number): boolean {
  let depth = 0;
  for (const { 0: sign, index } of whole.matchAll(/\$\{|[{}]/g)) {
    if (index >= at) break;
    if (sign === "}") depth = Math.max(0, depth - 1);
    else if (sign === "${" || depth > 0) depth += 1;
  }
  return depth > 0;
}
